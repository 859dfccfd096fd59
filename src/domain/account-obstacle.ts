/**
 * Why funds in a token account of ours do not count, by the account's data: its issuer has frozen it, or another key may take
 * funds from it (`delegated`) or close it.
 */
export type AccountObstacle = 'frozen' | 'delegated' | 'foreign_close_authority';

/** The same for an account that is credited, or it is now another one under the same key: of another owner, token or program. */
export type CreditedObstacle = AccountObstacle | 'replaced';

/** The same for an account that is not credited, or its address has as many other accounts as are credited of one. */
export type OtherAccountObstacle = AccountObstacle | 'too_many';

/** Each as a clause for people. */
export const OBSTACLE_CLAUSES: Readonly<Record<OtherAccountObstacle, string>> = {
  frozen: 'its issuer has frozen the account',
  delegated: 'another key may take the funds back',
  foreign_close_authority: 'another key may close the account',
  too_many: 'the address has too many of them',
};

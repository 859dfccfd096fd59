/**
 * Why funds in an account cannot be credited: its issuer has frozen it, or another key may take the funds (`delegated`) or close
 * the account.
 */
export type AccountObstacle = 'frozen' | 'delegated' | 'foreign_close_authority';

/** The same, or the address has as many other accounts as are read of one. */
export type OtherAccountObstacle = AccountObstacle | 'too_many';

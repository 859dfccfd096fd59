import { OBSTACLE_CLAUSES } from '../../domain/account-obstacle.js';
import { addressKeyOf } from '../../domain/address-form.js';
import { OtherAccountsModule } from '../../suspense/other-accounts/other-accounts.module.js';
import { OtherAccounts } from '../../suspense/other-accounts/other-accounts.service.js';
import { CommandFailure, defineCommand, EXIT, UsageError } from '../command.js';
import { withServices } from '../command-services.js';

/** `deposits find`. */
export const depositsFind = defineCommand({
  usage: 'deposits find <address>',
  example: 'npx coffer deposits find 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  details:
    'Searches an address on solana for funds in other token accounts than the associated one, at once instead of in its turn.\n' +
    'What is found is credited by the listener from then on. Prints what cannot be credited, and why; exits 1 then.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [text = ''] }, context) => {
    const address = addressKeyOf(text);
    if (address === null) throw new UsageError(`This is no address: ${text}`);
    return withServices(context, { modules: [OtherAccountsModule], chains: true }, async ({ get }) => {
      const found = await get(OtherAccounts).find(address.key);
      if (found.length === 0) {
        throw new CommandFailure(
          `${text} is no address of a chain whose accounts are searched.`,
          'name an address of this database on solana, and set its ..._RPC_URL for this command.',
        );
      }
      if (found.some(({ unlisted }) => unlisted.includes(address.key))) {
        throw new CommandFailure(
          `The node refused to list the token accounts of ${text}.`,
          'set a node in ..._RPC_URL that answers getTokenAccountsByOwner for this address.',
        );
      }
      const [credited, refused] = [found.flatMap((one) => one.credited), found.flatMap((one) => one.refused)];
      const { terminal } = context;
      for (const { account, amount } of credited) terminal.line(`${amount} in ${account} will be credited.`);
      for (const { account, amount, obstacle } of refused) {
        terminal.line(`${amount} in ${account} cannot be credited: ${OBSTACLE_CLAUSES[obstacle]}.`);
      }
      if (credited.length + refused.length === 0) terminal.line('Nothing was found that is not credited already.');
      return refused.length > 0 ? EXIT.bad : EXIT.fine;
    });
  },
});

import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { Discrepancies } from '../../treasury/wallets/discrepancies.service.js';
import { WalletOperationsModule } from '../../treasury/wallets/wallet-operations.module.js';
import { defineCommand, EXIT, oneOf, required } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

/** `treasury write-off`. */
export const treasuryWriteOff = defineCommand({
  usage: 'treasury write-off --network NAME --env ENV --token SYMBOL --reason TEXT',
  example: "npx coffer treasury write-off --network polygon --env live --token USDC --reason 'seized by its issuer'",
  details:
    'Books the amount that is missing from a hot wallet, by its newest comparison with the chain, to the receivable account,\n' +
    'as yours to claim. Then the books agree with the chain again. Do this once you know that the funds do not come back.\n' +
    'Funds that go missing later are reported again, and funds that come back are a top-up. Pockets do not change.',
  options: {
    network: { type: 'string', value: 'NAME', about: 'The hot wallet of this network.' },
    env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
    token: { type: 'string', value: 'SYMBOL', about: "The token, or the chain's own coin, that is missing." },
    reason: reasonOption,
  },
  run: ({ values }, context) => {
    const hot = {
      environment: oneOf(ENVIRONMENTS, required(values.env, '--env'), '--env'),
      network: oneOf(NETWORKS, required(values.network, '--network'), '--network'),
      token: required(values.token, '--token'),
    };
    const order = staffOrder(values.reason);
    return withServices(context, { modules: [WalletOperationsModule] }, async ({ database, get }) => {
      const money = await database.transaction((tx) => get(Discrepancies).writeOff(tx, hot, order));
      context.terminal.line(
        `BOOKED OUT: ${money} of the hot wallet of ${hot.environment}/${hot.network}, to receivable.`,
      );
      return EXIT.fine;
    });
  },
});

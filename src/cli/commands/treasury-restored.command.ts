import { RestoreModule } from '../../recovery/restore.module.js';
import { RestoredDatabase } from '../../recovery/restored-database.service.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

/** `treasury restored`. */
export const treasuryRestored = defineCommand({
  usage: 'treasury restored --reason TEXT',
  example: "npx coffer treasury restored --reason 'restored to 03:00'",
  details:
    'To be run on a database that was restored to an older state, before any process is started on it. Freezes every hot\n' +
    'wallet, and has every chain asked anew how many transactions it counts. What an older state has forgotten beside\n' +
    'payments shows on no chain: cancelled withdrawals wait again, and freezes, limits and sanctions lists are gone. Look\n' +
    'them through before withdrawals unfreeze.',
  options: { reason: reasonOption },
  run: ({ values }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules: [RestoreModule] }, async ({ database, get }) => {
      const stopped = await database.transaction((tx) => get(RestoredDatabase).stop(tx, order));
      const { terminal } = context;
      for (const { environment, network, before } of stopped) {
        terminal.line(
          before === null
            ? `FROZEN: nothing is signed for ${environment}/${network} until it is unfrozen.`
            : `${environment}/${network} was frozen already, and stays so: ${before}`,
        );
      }
      if (stopped.length === 0) terminal.line('This state knows no hot wallet yet.');
      return EXIT.fine;
    });
  },
});

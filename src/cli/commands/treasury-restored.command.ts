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
    'Run this on a database that was restored to an older state, before any process starts on it. It freezes every hot\n' +
    'wallet, and workers read the transaction counts of every chain again. An older state has also lost decisions that are\n' +
    'on no chain: cancelled withdrawals wait again, and newer freezes, limits and sanctions lists are missing. Check them\n' +
    'before withdrawals unfreeze.',
  options: { reason: reasonOption },
  run: ({ values }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules: [RestoreModule] }, async ({ database, get }) => {
      const stopped = await database.transaction((tx) => get(RestoredDatabase).stop(tx, order));
      const { terminal } = context;
      for (const { environment, network, before } of stopped) {
        terminal.line(
          before === null
            ? `FROZEN: nothing is signed for ${environment}/${network} until you unfreeze it.`
            : `${environment}/${network} was already frozen and stays frozen: ${before}`,
        );
      }
      if (stopped.length === 0) terminal.line('This database has no hot wallet yet.');
      return EXIT.fine;
    });
  },
});

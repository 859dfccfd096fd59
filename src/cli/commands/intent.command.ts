import { notFound } from '../../domain/errors.js';
import { DirtyIntent } from '../../payments/intents/dirty-intent.entity.js';
import { markDirty } from '../../payments/intents/dirty-intents.js';
import { IntentCancellation } from '../../payments/intents/intent-cancellation.service.js';
import { IntentOperationsModule } from '../../payments/intents/intent-operations.module.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { recordAction } from '../../platform/audit-trail.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { operator } from '../operator.js';
import { columns } from '../terminal.js';

const LISTED_MAX = 200;

/** `intent cancel`. */
export const intentCancel = defineCommand({
  usage: 'intent cancel <intent id>',
  example: 'npx coffer intent cancel pi_01k5n6yq2m8r4t0v3w5x7z9abc',
  details:
    'Cancels an open intent without a payment; dust (less than a cent) does not count as one. Money that arrives later is\n' +
    'still credited, as late.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, { modules: [IntentOperationsModule] }, async ({ database, get }) => {
      await database.transaction(async (tx) => {
        await get(IntentCancellation).cancel(tx, id);
        await recordAction(tx, { actor: operator(), action: 'payment_intent.cancel', subject: id, reason: null });
      });
      context.terminal.line(`Payment intent ${id} is cancelled.`);
      return EXIT.fine;
    }),
});

/** `intent quarantined`. */
export const intentQuarantined = defineCommand({
  usage: 'intent quarantined',
  example: 'npx coffer intent quarantined',
  details: 'Lists intents whose settlement failed five times. Exits 1 if there are any.',
  options: {},
  run: (_input, context) =>
    withServices(context, { modules: [] }, async ({ database }) => {
      const marks = await database
        .em()
        .find(
          DirtyIntent,
          { quarantinedAt: { $ne: null } },
          { fields: ['quarantinedAt', 'lastError'], orderBy: { quarantinedAt: 'asc' }, limit: LISTED_MAX },
        );
      const cells = marks.map((mark) => [mark.intentId, mark.quarantinedAt?.toISOString() ?? '', mark.lastError ?? '']);
      for (const line of columns([['INTENT', 'SINCE', 'ERROR'], ...cells])) context.terminal.line(line);
      return marks.length === 0 ? EXIT.fine : EXIT.bad;
    }),
});

/** `intent retry`. */
export const intentRetry = defineCommand({
  usage: 'intent retry <intent id>',
  example: 'npx coffer intent retry pi_01k5n6yq2m8r4t0v3w5x7z9abc',
  details: 'Settles a quarantined intent again. Fix the cause first.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, { modules: [] }, async ({ database }) => {
      if ((await database.em().count(PaymentIntent, { id })) === 0) throw notFound('payment intent');
      await database.transaction((tx) => markDirty(tx, [id]));
      context.terminal.line(`A worker settles payment intent ${id} again within seconds.`);
      return EXIT.fine;
    }),
});

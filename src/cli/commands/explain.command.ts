import { notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import { ExplainModule } from '../../explain/explain.module.js';
import { ExplainService } from '../../explain/explain.service.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import type { Database } from '../../platform/database/database.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';

/** `explain`. */
export const explainIntentCommand = defineCommand({
  usage: 'explain <intent id>',
  example: 'npx coffer explain pi_01k5n6yq2m8r4t0v3w5x7z9abc',
  details: 'Shows what GET /v1/payment-intents/:id/explain returns, for any merchant. --json includes the evidence.',
  options: { json: { type: 'boolean', about: 'Print the whole explanation as JSON.' } },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) =>
    withServices(context, { modules: [ExplainModule] }, async ({ database, get }) => {
      const explanation = await get(ExplainService).explain(await tenantOf(database, id), id);
      const { terminal } = context;
      if (values.json) {
        terminal.json(explanation);
        return EXIT.fine;
      }
      terminal.line(`Payment intent ${id} is ${explanation.status}.`);
      for (const { code, sentence, next_action: nextAction } of explanation.findings) {
        terminal.line();
        terminal.line(terminal.paint('bold', code));
        terminal.line(`  ${sentence}`);
        terminal.line(`  ${terminal.paint('dim', nextAction)}`);
      }
      return EXIT.fine;
    }),
});

/** Returns the tenant of the intent: operators see those of all merchants. */
async function tenantOf(database: Database, id: string): Promise<Tenant> {
  const intent = await database.em().findOne(PaymentIntent, { id });
  if (intent === null) throw notFound('payment intent');
  return { merchantId: intent.merchantId, environment: intent.environment };
}

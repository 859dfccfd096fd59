import { DomainError } from '../../domain/errors.js';
import { parseTimestamp } from '../../domain/timestamp.js';
import { DeliveryResend } from '../../webhooks/deliveries/delivery-resend.service.js';
import { EndpointRecoveryService } from '../../webhooks/recoveries/endpoint-recovery.service.js';
import { MissingDeliveriesService } from '../../webhooks/recoveries/missing-deliveries.service.js';
import { WebhookOperationsModule } from '../../webhooks/webhook-operations.module.js';
import { CommandFailure, defineCommand, EXIT, required, UsageError } from '../command.js';
import { withServices } from '../command-services.js';

const needs = { modules: [WebhookOperationsModule] };

const SINCE_ABOUT = 'Events from this moment on: a date, or a date-time with its zone.';
const windowOptions = {
  endpoint: { type: 'string', value: 'ID', about: 'The endpoint, we_...' },
  since: { type: 'string', value: 'TIME', about: SINCE_ABOUT },
} as const;

/** `deliveries retry`. */
export const deliveriesRetry = defineCommand({
  usage: 'deliveries retry <delivery id>...',
  example: 'npx coffer deliveries retry dlv_01k5n6yq2m8r4t0v3w5x7z9abc',
  details:
    'A waiting delivery is sent now. A finished one is sent again in a new series of attempts, also if it was delivered:\n' +
    'then the receiver gets the event twice. One in flight does not change. Exits 1 if a delivery was refused.',
  options: {},
  positionals: { count: 1, orMore: true },
  run: ({ positionals: ids }, context) =>
    withServices(context, needs, async ({ database, get }) => {
      let code: typeof EXIT.fine | typeof EXIT.bad = EXIT.fine;
      for (const id of ids) {
        try {
          const sent = await database.transaction((tx) => get(DeliveryResend).sendAgain(tx, {}, id));
          context.terminal.line(sent === id ? `${id} is sent.` : `${id} is sent again as ${sent}.`);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          context.terminal.problem(`${id}: ${error.message}`);
          code = EXIT.bad;
        }
      }
      return code;
    }),
});

/** `deliveries recover`. */
export const deliveriesRecover = defineCommand({
  usage: 'deliveries recover --endpoint ID --since TIME',
  example: 'npx coffer deliveries recover --endpoint we_01k5n6yq2m8r4t0v3w5x7z9abc --since 2026-11-20T08:00:00Z',
  details:
    'Sends all dead letters and waiting deliveries of the endpoint now; workers do it in batches. Delivered events are not\n' +
    'sent again, and a second run sends nothing twice.',
  options: windowOptions,
  run: ({ values }, context) => {
    const { endpointId, since } = windowOf(values);
    return withServices(context, needs, async ({ database, get }) => {
      const { id } = await database.transaction((tx) => get(EndpointRecoveryService).order(tx, {}, endpointId, since));
      context.terminal.line(`Workers carry out recovery ${id} within seconds.`);
      return EXIT.fine;
    });
  },
});

/** `deliveries send-missing`. */
export const deliveriesSendMissing = defineCommand({
  usage: 'deliveries send-missing --endpoint ID --since TIME',
  example: 'npx coffer deliveries send-missing --endpoint we_01k5n6yq2m8r4t0v3w5x7z9abc --since 2026-11-20T08:00:00Z',
  details:
    'Sends the events that have no delivery to the endpoint, since it was created or enabled after them, of the types\n' +
    'that it receives now. Use retry or recover for events that have a delivery.',
  options: windowOptions,
  run: ({ values }, context) => {
    const { endpointId, since } = windowOf(values);
    return withServices(context, needs, async ({ get }) => {
      const count = await get(MissingDeliveriesService).send(endpointId, since);
      if (count === 0) throw new CommandFailure('No event is missing.');
      context.terminal.line(`${count} events are sent within seconds.`);
      return EXIT.fine;
    });
  },
});

function windowOf(values: { readonly endpoint?: string | undefined; readonly since?: string | undefined }) {
  const endpointId = required(values.endpoint, '--endpoint');
  const since = parseTimestamp(required(values.since, '--since'));
  if (since === null) throw new UsageError('--since is not a date or a date-time with its zone.');
  return { endpointId, since };
}

import { parseTimestamp } from '../domain/timestamp.js';
import { DeliveryReplayService } from '../webhooks/delivery-replay.service.js';
import { CommandFailure, defineCommand, EXIT, required, UsageError } from './command.js';
import { withDatabase } from './database-session.js';

const IDS_MAX = 500;

/** The command holds no queue: the workers' own sweep finds what is due. */
const NO_QUEUE = { wake: () => undefined };

/** `deliveries replay`. */
export const deliveriesReplay = defineCommand({
  usage: 'deliveries replay <delivery id>... | --endpoint ID --since TIME',
  example: 'npx coffer deliveries replay --endpoint we_01k5n6yq2m8r4t0v3w5x7z9abc --since 2026-11-20T08:00:00Z',
  details:
    'Each is a new series of attempts of the same event. Left out are those that still wait, that were\n' +
    'replayed already, and those of deleted endpoints.',
  options: {
    endpoint: { type: 'string', value: 'ID', about: 'Everything this endpoint was owed, we_...' },
    since: { type: 'string', value: 'TIME', about: 'From this moment on: a date, or a date-time with its zone.' },
  },
  positionals: { count: IDS_MAX, optional: true },
  run: ({ values, positionals: ids }, context) => {
    const byEndpoint = values.endpoint !== undefined || values.since !== undefined;
    if (byEndpoint === ids.length > 0) throw new UsageError('Name deliveries, or an endpoint and a time.');
    const window = byEndpoint ? windowOf(values) : null;
    return withDatabase(context, async ({ database }) => {
      const service = new DeliveryReplayService(database, NO_QUEUE);
      const count =
        window === null
          ? (await service.replay(ids)).length
          : await service.replaySince(window.endpointId, window.since);
      if (count === 0) throw new CommandFailure('There was nothing to replay.');
      context.terminal.line(`${count} of them will be sent again within seconds.`);
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

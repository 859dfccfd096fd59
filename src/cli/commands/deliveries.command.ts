import { DELIVERY_STATUSES } from '../../domain/delivery-status.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { DeliveryReader } from '../../webhooks/deliveries/delivery-reader.service.js';
import { type DeliveryRow, presentDelivery } from '../../webhooks/deliveries/delivery.presenter.js';
import type {
  DeliveryAttemptObject,
  DeliveryObject,
  DeliveryWithAttemptsObject,
} from '../../webhooks/deliveries/delivery.schema.js';
import { WebhookOperationsModule } from '../../webhooks/webhook-operations.module.js';
import { defineCommand, EXIT, oneOf } from '../command.js';
import { withServices } from '../command-services.js';
import { pageLimit, pageOptionsOf } from '../page-options.js';
import { columns, printable } from '../terminal.js';

const needs = { modules: [WebhookOperationsModule] };

const HEAD = ['DELIVERY', 'STATUS', 'TRIES', 'LAST', 'CREATED', 'EVENT', 'TYPE', 'ENDPOINT', 'MERCHANT'];

/** `deliveries list`. */
export const deliveriesList = defineCommand({
  usage: 'deliveries list',
  example: 'npx coffer deliveries list --status dead_letter',
  details: 'Lists webhook deliveries of all merchants, newest first. LAST is the result of the latest attempt.',
  options: {
    status: { type: 'string', value: 'STATUS', about: `${DELIVERY_STATUSES.join(', ')}.` },
    merchant: { type: 'string', value: 'ID', about: 'Of this merchant, mer_...' },
    env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
    endpoint: { type: 'string', value: 'ID', about: 'To this endpoint, we_...' },
    event: { type: 'string', value: 'ID', about: 'Of this event, evt_...' },
    ...pageOptionsOf('Deliveries', 'delivery, dlv_...'),
    json: { type: 'boolean', about: 'Print JSON, one delivery per line.' },
  },
  run: ({ values }, context) => {
    const limit = pageLimit(values.limit);
    const scope = {
      merchantId: values.merchant,
      environment: values.env === undefined ? undefined : oneOf(ENVIRONMENTS, values.env, '--env'),
    };
    const filter = {
      status: values.status === undefined ? undefined : oneOf(DELIVERY_STATUSES, values.status, '--status'),
      endpoint_id: values.endpoint,
      event_id: values.event,
      starting_after: values.after,
    };
    return withServices(context, needs, async ({ get }) => {
      const found = await get(DeliveryReader).page(scope, { ...filter, limit });
      const page = found.slice(0, limit);
      const { terminal } = context;
      if (values.json) for (const row of page) terminal.json({ ...presentDelivery(row), merchant_id: row.merchantId });
      else for (const line of columns([HEAD, ...page.map(cellsOf)])) terminal.line(line);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) terminal.problem(`There are more: --after ${last.id}`);
      return EXIT.fine;
    });
  },
});

function cellsOf(row: DeliveryRow): string[] {
  const delivery = presentDelivery(row);
  return [
    delivery.id,
    statusText(delivery),
    String(delivery.attempt_count),
    String(delivery.last_response_status ?? delivery.last_fault ?? 'none'),
    delivery.created_at,
    delivery.event_id,
    delivery.event_type,
    delivery.endpoint_id,
    `${row.merchantId} ${row.environment}`,
  ];
}

const statusText = ({ status, superseded }: DeliveryObject): string => (superseded ? `${status} (superseded)` : status);

/** `deliveries show`. */
export const deliveriesShow = defineCommand({
  usage: 'deliveries show <delivery id>',
  example: 'npx coffer deliveries show dlv_01k5n6yq2m8r4t0v3w5x7z9abc',
  details:
    'Shows the delivery with every attempt: its time, its duration, and the answer of the receiver (the first 16 KiB).',
  options: { json: { type: 'boolean', about: 'Print JSON on one line.' } },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) =>
    withServices(context, needs, async ({ get }) => {
      const delivery = await get(DeliveryReader).getWithAttempts({}, id);
      const { terminal } = context;
      if (values.json) terminal.json(delivery);
      else for (const line of linesOf(delivery)) terminal.line(line);
      return EXIT.fine;
    }),
});

const linesOf = (delivery: DeliveryWithAttemptsObject): string[] => [
  ...columns([
    ['Delivery', `${delivery.id}, series ${delivery.series}`],
    ['Status', statusText(delivery)],
    ['Event', `${delivery.event_id} ${delivery.event_type}`],
    ['Endpoint', `${delivery.endpoint_id} (${delivery.environment})`],
    ['Created', delivery.created_at],
    ...(delivery.next_attempt_at === null ? [] : [['Next attempt', delivery.next_attempt_at]]),
    ...(delivery.finished_at === null ? [] : [['Finished', delivery.finished_at]]),
  ]),
  ...(delivery.attempts.length < delivery.attempt_count ? ['', 'Older attempts are no longer kept.'] : []),
  ...delivery.attempts.flatMap(attemptLines),
];

function attemptLines(attempt: DeliveryAttemptObject): string[] {
  const outcome =
    attempt.fault === null
      ? `answered ${attempt.response_status}`
      : `no answer, ${attempt.fault}: ${attempt.fault_message}`;
  const isPruned = attempt.response_status !== null && attempt.response_headers === null;
  const headers = Object.entries(attempt.response_headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [
    '',
    `Attempt ${attempt.number}, ${attempt.started_at}, ${attempt.duration_ms} ms: ${outcome}`,
    `  sent: ${attempt.request_headers.join(', ') || 'nothing'}`,
    // A receiver chooses this text, so control characters are replaced.
    ...(isPruned ? ['  The answer is no longer kept.'] : []),
    ...[...headers, ...(attempt.response_body ?? '').split('\n')].map((line) => `  ${printable(line)}`.trimEnd()),
  ];
}

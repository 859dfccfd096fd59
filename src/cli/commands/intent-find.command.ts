import { addressKeyOf } from '../../domain/address-form.js';
import { formatUnits } from '../../domain/money.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { transactionHashFormOf } from '../../domain/transaction-hash.js';
import type { ListPage } from '../../http/pagination.js';
import type { IntentFilter } from '../../payments/intents/intent-page.sql.js';
import { IntentOperationsModule } from '../../payments/intents/intent-operations.module.js';
import { IntentReader } from '../../payments/intents/intent-reader.service.js';
import type { PaymentIntentObject } from '../../payments/intents/payment-intent.schema.js';
import { defineCommand, EXIT, oneOf, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { pageLimit, pageOptionsOf } from '../page-options.js';
import { columns, type Terminal } from '../terminal.js';

const HEAD = ['INTENT', 'CREATED', 'MERCHANT', 'PLACE', 'STATUS', 'ASKED', 'RECEIVED', 'REFERENCE', 'ADDRESS'];

/** `intent find`. */
export const intentFind = defineCommand({
  usage: 'intent find [<intent id>] [--reference TEXT] [--address ADDRESS] [--tx-hash HASH]',
  example: `npx coffer intent find --tx-hash 0x${'5f'.repeat(32)}`,
  details:
    'Finds the payment intents that match all filters, of all merchants or of one, newest first. --tx-hash finds each\n' +
    'intent that the transaction paid, also if a reorg orphaned the payment. For money without an intent, see\n' +
    'deposits mismatched. Exits 1 if no intent is found.',
  options: {
    reference: { type: 'string', value: 'TEXT', about: "The merchant's reference, exactly." },
    address: { type: 'string', value: 'ADDRESS', about: 'The address that the customer pays to.' },
    'tx-hash': { type: 'string', value: 'HASH', about: 'The transaction of a payment.' },
    merchant: { type: 'string', value: 'ID', about: 'Only intents of this merchant, mer_...' },
    env: { type: 'string', value: 'ENV', about: 'sandbox or live; both by default.' },
    ...pageOptionsOf('Intents', 'intent, pi_...'),
    json: { type: 'boolean', about: 'Print JSON, one intent per line, as the API returns it.' },
  },
  positionals: { count: 1, optional: true },
  run: ({ values, positionals: [id] }, context) => {
    const { reference, address, 'tx-hash': hash, merchant, env } = values;
    if ((id ?? reference ?? address ?? hash) === undefined) {
      throw new UsageError('Name an intent id, --reference, --address or --tx-hash.');
    }
    const scope = {
      merchantId: merchant ?? null,
      environment: env === undefined ? null : oneOf(ENVIRONMENTS, env, '--env'),
    };
    const filter: IntentFilter = {
      id,
      reference,
      address: formIn(address, addressKeyOf, '--address is not an address.'),
      tx_hash: formIn(hash, transactionHashFormOf, '--tx-hash is not a transaction hash.'),
      limit: pageLimit(values.limit),
      starting_after: values.after,
    };
    return withServices(context, { modules: [IntentOperationsModule] }, async ({ get }) => {
      const page = await get(IntentReader).search(scope, filter);
      return print(context.terminal, page, values.json === true);
    });
  },
});

/** Parses a filter. @throws UsageError with the message `fault` when the text has no such form */
function formIn<Form>(text: string | undefined, formOf: (text: string) => Form | null, fault: string) {
  if (text === undefined) return undefined;
  const form = formOf(text);
  if (form === null) throw new UsageError(fault);
  return form;
}

function print(terminal: Terminal, { data, next_cursor: next }: ListPage<PaymentIntentObject>, isJson: boolean) {
  if (data.length === 0) {
    terminal.problem('There is no such payment intent.');
    return EXIT.bad;
  }
  if (isJson) for (const intent of data) terminal.json(intent);
  else for (const line of columns([HEAD, ...data.map(cellsOf)])) terminal.line(line);
  if (next !== null) terminal.problem(`There are more: --after ${next}`);
  return EXIT.fine;
}

function cellsOf(intent: PaymentIntentObject): string[] {
  const decimals = intent.token_decimals;
  const received = decimals === null ? '0' : formatUnits(BigInt(intent.received_crypto_amount), decimals);
  return [
    intent.id,
    intent.created_at,
    intent.merchant_id,
    `${intent.environment}/${intent.network}`,
    intent.status,
    intent.crypto_amount_decimal === null
      ? `${intent.amount_cents} cents`
      : `${intent.crypto_amount_decimal} ${intent.token}`,
    `${received} ${intent.token}`,
    intent.reference ?? 'none',
    intent.address ?? 'none',
  ];
}

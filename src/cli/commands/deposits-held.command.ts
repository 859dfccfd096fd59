import type { DepositHolding } from '../../payments/deposits/deposit.entity.js';
import { type Decided, DepositOperations } from '../../suspense/deposit-operations.service.js';
import { type DepositWithoutPocket, DepositsWithoutPocket } from '../../suspense/deposits-without-pocket.service.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { pageLimit, pageOptions } from '../page-options.js';
import { columns } from '../terminal.js';

const needs = { modules: [SuspenseOperationsModule] };

const HEAD = ['DEPOSIT', 'HELD AS', 'SINCE', 'CHAIN', 'AMOUNT', 'MERCHANT', 'TRANSACTION', 'REASON'];

/** `deposits list`. */
export const depositsList = defineCommand({
  usage: 'deposits list',
  example: 'npx coffer deposits list --unattributed',
  details:
    'Lists final deposits that are in no pocket and wait for a decision, oldest first: unattributed ones, which are in\n' +
    'suspense, and frozen ones, whose sender was on the sanctions list when they became final. Both by default. --returning\n' +
    'lists deposits that are being refunded. For payments that are late or not final yet, see deposits mismatched.',
  options: {
    unattributed: { type: 'boolean', about: 'Deposits in suspense; settle them with deposits resolve.' },
    frozen: { type: 'boolean', about: 'Frozen deposits; settle them with deposits release or deposits keep.' },
    kept: { type: 'boolean', about: 'Deposits that you decided to keep frozen.' },
    returning: { type: 'boolean', about: 'Deposits that are being refunded; see refunds show.' },
    ...pageOptions,
    json: { type: 'boolean', about: 'Print JSON, one deposit per line.' },
  },
  run: ({ values }, context) => {
    const limit = pageLimit(values.limit);
    const holdings = holdingsOf(values);
    return withServices(context, needs, async ({ get }) => {
      const found = await get(DepositsWithoutPocket).page({ holdings, limit: limit + 1, after: values.after ?? null });
      const page = found.slice(0, limit);
      const { terminal } = context;
      if (values.json) for (const deposit of page) terminal.json(jsonOf(deposit));
      else for (const line of columns([HEAD, ...page.map(cellsOf)])) terminal.line(line);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) terminal.problem(`There are more: --after ${last.id}`);
      return EXIT.fine;
    });
  },
});

interface HoldingValues {
  readonly unattributed?: boolean | undefined;
  readonly frozen?: boolean | undefined;
  readonly kept?: boolean | undefined;
  readonly returning?: boolean | undefined;
}

function holdingsOf({ unattributed, frozen, kept, returning }: HoldingValues): DepositHolding[] {
  const asked: DepositHolding[] = [];
  if (unattributed) asked.push('suspense');
  if (frozen) asked.push('frozen');
  if (kept) asked.push('kept');
  if (returning) asked.push('returning');
  return asked.length > 0 ? asked : ['suspense', 'frozen'];
}

function cellsOf(deposit: DepositWithoutPocket): string[] {
  return [
    deposit.id,
    deposit.heldAs,
    deposit.bookedAt,
    `${deposit.environment} ${deposit.network}`,
    `${deposit.amountDecimal} ${deposit.token}`,
    deposit.merchantId ?? 'none',
    deposit.txHash ?? 'inside of a contract',
    deposit.explanation,
  ];
}

function jsonOf(deposit: DepositWithoutPocket): object {
  return {
    object: 'held_deposit',
    id: deposit.id,
    held_as: deposit.heldAs,
    held_since: deposit.bookedAt,
    environment: deposit.environment,
    network: deposit.network,
    token: deposit.token,
    amount_decimal: deposit.amountDecimal,
    blockchain_address: deposit.address,
    sender: deposit.sender,
    tx_hash: deposit.txHash,
    payment_intent_id: deposit.intentId,
    merchant_id: deposit.merchantId,
    explanation: deposit.explanation,
  };
}

/** `deposits release`. */
export const depositsRelease = defineCommand({
  usage: 'deposits release <deposit id> --reason TEXT',
  example: "npx coffer deposits release dep_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'licence 2026-117'",
  details:
    "Books a frozen deposit to the pocket of its intent's merchant, or to suspense if it is unattributed. An open intent\n" +
    'counts it from the time when it was seen, and may complete; an intent that has ended does not change. Kept deposits\n' +
    'can be released too. A release cannot be undone.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, needs, async ({ database, get }) => {
      const released = await database.transaction((tx) => get(DepositOperations).release(tx, id, order));
      const { money, pocketId } = released;
      const where = pocketId === null ? 'is in suspense' : `is in the pocket ${pocketId}`;
      context.terminal.line(`Deposit ${id}, ${money}, ${where}.${intentText(released)}`);
      return EXIT.fine;
    });
  },
});

/** `deposits keep`. */
export const depositsKeep = defineCommand({
  usage: 'deposits keep <deposit id> --reason TEXT',
  example: "npx coffer deposits keep dep_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'blocked and reported'",
  details:
    'The deposit stays frozen and is no longer listed as waiting. Its intent does not wait for it: after the deadline the\n' +
    'intent ends, before it other money can still pay it.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, needs, async ({ database, get }) => {
      const kept = await database.transaction((tx) => get(DepositOperations).keep(tx, id, order));
      context.terminal.line(`Deposit ${id}, ${kept.money}, is kept.${intentText(kept)}`);
      if (kept.intent !== null && kept.intent.problem !== null) context.terminal.problem(unsettledText(kept.intent));
      return EXIT.fine;
    });
  },
});

/** Returns a sentence with the status of the intent after the decision, if there is one. */
function intentText({ intent }: Decided): string {
  return intent === null ? '' : ` Payment intent ${intent.id} is ${intent.status}.`;
}

const unsettledText = ({ id, problem }: { readonly id: string; readonly problem: string | null }): string =>
  `The decision is stored. Payment intent ${id} could not be settled (${problem}). A worker tries again; after five ` +
  'failures npx coffer intent quarantined lists the intent.';

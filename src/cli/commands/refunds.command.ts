import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundOperations } from '../../suspense/refunds/refund-operations.service.js';
import { RefundReader, type RefundDetails, type RefundView } from '../../suspense/refunds/refund-reader.service.js';
import { REFUND_FAILURES, REFUND_STANDINGS } from '../../suspense/refunds/refund-standing.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns } from '../terminal.js';
import { ageText, simulationRows, transactionLines, verdictLines } from './transaction-lines.js';

const LISTED_MAX = 500;
const HEAD = ['REFUND', 'AGE', 'DEPOSIT', 'CHAIN', 'AMOUNT', 'TO', 'TRANSACTION', 'WAITS FOR'];

/** `refunds waiting`. */
export const refundsWaiting = defineCommand({
  usage: 'refunds waiting',
  example: 'npx coffer refunds waiting',
  details:
    'Lists the refunds that have not ended, oldest first, with the reason why each waits. Exits 1 if one has waited more\n' +
    'than 10 minutes to be signed or sent, or more than 45 minutes to become final.',
  options: { json: { type: 'boolean', about: 'Print JSON, one refund per line.' } },
  run: ({ values }, context) =>
    withServices(context, { modules: [RefundOperationsModule] }, async ({ get }) => {
      const open = await get(RefundReader).open(LISTED_MAX);
      const { terminal } = context;
      if (values.json) for (const one of open) terminal.json(jsonOf(one));
      else for (const line of columns([HEAD, ...open.map(cellsOf)])) terminal.line(line);
      if (open.length === LISTED_MAX) terminal.problem(`Only the oldest ${LISTED_MAX} are shown.`);
      return open.some(({ isOverdue }) => isOverdue) ? EXIT.bad : EXIT.fine;
    }),
});

function cellsOf(one: RefundView): string[] {
  return [
    one.id,
    ageText(one.ageSeconds),
    one.depositId,
    `${one.environment}/${one.network}`,
    `${one.amount} ${one.token}`,
    one.destination,
    one.txHash ?? 'none',
    one.standing === null ? one.status : REFUND_STANDINGS[one.standing],
  ];
}

function jsonOf(one: RefundView): object {
  return {
    object: 'return',
    id: one.id,
    deposit_id: one.depositId,
    environment: one.environment,
    network: one.network,
    token: one.token,
    amount_decimal: one.amount,
    destination: one.destination,
    tx_hash: one.txHash,
    ordered_at: one.orderedAt,
    age_seconds: one.ageSeconds,
    waits_for: one.standing,
    reason: one.standing === null ? null : REFUND_STANDINGS[one.standing],
    overdue: one.isOverdue,
  };
}

/** `refunds show`. */
export const refundsShow = defineCommand({
  usage: 'refunds show <refund id or deposit id>',
  example: 'npx coffer refunds show ret_01k5n6yq2m8r4t0v3w5x7z9abc',
  details:
    'Shows the terms, the newest simulation, the transaction with every signed attempt, and the decisions of the vault and\n' +
    'of operators about the refund and its deposit. With the id of a deposit: its newest refund.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, { modules: [RefundOperationsModule] }, async ({ get }) => {
      const details = await get(RefundReader).of(id);
      const lines = [...columns(termsOf(details)), ...transactionLines(details), ...verdictLines(details.verdicts)];
      for (const line of lines) context.terminal.line(line);
      return EXIT.fine;
    }),
});

function termsOf(details: RefundDetails): string[][] {
  const { view } = details;
  const { status, standing, failureCode } = view;
  const place = standing === null ? '' : `: ${standing} (${REFUND_STANDINGS[standing]})`;
  return [
    ['Refund', view.id],
    ['Status', `${status}${place}`],
    ...(failureCode === null ? [] : [['Failed', `${failureCode}: ${REFUND_FAILURES[failureCode]}`]]),
    ['Deposit', `${view.depositId} (${view.environment})`],
    ['Amount', `${view.amount} ${view.token} on ${view.network}`],
    ['To', view.destination],
    ['Ordered', view.orderedAt],
    ...simulationRows(details),
  ];
}

/** `refunds cancel`. */
export const refundsCancel = defineCommand({
  usage: 'refunds cancel <refund id> --reason TEXT',
  example: "npx coffer refunds cancel ret_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'another address'",
  details:
    'Cancels a refund that was never signed. The command asks the chain for unrecorded transactions, so the ..._RPC_URL of\n' +
    'the network must be set. The deposit is in suspense again at once.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    const modules = [RefundOperationsModule, UnrecordedMarksModule];
    return withServices(context, { modules, chains: true }, async (services) => {
      const { database, get } = services;
      const { view } = await get(RefundReader).of(id);
      const unknown = await services.get(UnrecordedMarksReader).of((chain) => chain.chainRef === view.chainRef);
      const depositId = await database.transaction((tx) => get(RefundOperations).cancel(tx, id, order, unknown));
      context.terminal.line(`Refund ${id} is cancelled. Deposit ${depositId} is in suspense again.`);
      return EXIT.fine;
    });
  },
});

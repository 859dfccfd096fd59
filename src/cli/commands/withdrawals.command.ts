import { formatUnits } from '../../domain/money.js';
import { standingText } from '../../domain/outgoing-payment.js';
import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { HotWalletReader, type HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { WalletOperationsModule } from '../../treasury/wallets/wallet-operations.module.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import {
  type OpenWithdrawal,
  type WantedFunds,
  WithdrawalOperations,
} from '../../withdrawals/withdrawal-operations.service.js';
import { type WithdrawalDetails, WithdrawalDetailsReader } from '../../withdrawals/withdrawal-details.service.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns, type Terminal } from '../terminal.js';
import { ageText, simulationRows, transactionLines, verdictLines } from './transaction-lines.js';

const LISTED_MAX = 500;
const HEAD = ['WITHDRAWAL', 'AGE', 'MERCHANT', 'CHAIN', 'AMOUNT', 'WAITS FOR'];
const WALLET_HEAD = ['HOT WALLET', 'TOKEN', 'HOLDS', 'FREE', 'COMING', 'WANTED', 'ADDRESS'];

/** `withdrawals waiting`. */
export const withdrawalsWaiting = defineCommand({
  usage: 'withdrawals waiting',
  example: 'npx coffer withdrawals waiting',
  details:
    'Lists the withdrawals that have not ended, oldest first, with the reason why each waits. Then lists the hot wallets, with\n' +
    'what they hold, what sweeps bring, and what withdrawals want. Exits 1 if one has waited more than 10 minutes to be signed\n' +
    'or sent, or more than 45 minutes to become final. Those that wait for an approval, or whose destination is new, do not\n' +
    'count.',
  options: { json: { type: 'boolean', about: 'Print JSON, one withdrawal per line.' } },
  run: ({ values }, context) => {
    const modules = [WalletOperationsModule, WithdrawalOperationsModule];
    return withServices(context, { modules }, async ({ get }) => {
      const withdrawals = get(WithdrawalOperations);
      const open = await withdrawals.open(LISTED_MAX);
      const { terminal } = context;
      if (values.json) for (const one of open) terminal.json(jsonOf(one));
      else {
        for (const line of columns([HEAD, ...open.map(cellsOf)])) terminal.line(line);
        const wallets = await get(HotWalletReader).all();
        printWallets(terminal, wallets, await withdrawals.wanted());
        if (open.length === LISTED_MAX) terminal.problem(`Only the oldest ${LISTED_MAX} are shown.`);
      }
      return open.some(({ isOverdue }) => isOverdue) ? EXIT.bad : EXIT.fine;
    });
  },
});

function cellsOf(one: OpenWithdrawal): string[] {
  const place = `${one.environment}/${one.network}`;
  return [one.id, ageText(one.ageSeconds), one.merchantId, place, `${one.amount} ${one.token}`, one.reason];
}

function jsonOf(one: OpenWithdrawal): object {
  return {
    object: 'withdrawal',
    id: one.id,
    merchant_id: one.merchantId,
    environment: one.environment,
    network: one.network,
    token: one.token,
    amount_decimal: one.amount,
    age_seconds: one.ageSeconds,
    waits_for: one.standing,
    reason: one.reason,
    overdue: one.isOverdue,
  };
}

function printWallets(terminal: Terminal, wallets: readonly HotWalletView[], wanted: readonly WantedFunds[]): void {
  const rows = wallets.flatMap(({ chainRef, environment, network, address, holdings }) =>
    holdings.map(({ symbol, contract, decimals, amount, spendable, coming }) => {
      const want = wanted.find((coins) => coins.chainRef === chainRef && coins.contract === contract)?.amount ?? 0n;
      const shown = (units: bigint | null): string => (units === null ? 'unknown' : formatUnits(units, decimals));
      const figures = [amount, spendable, coming, want].map(shown);
      return [`${environment}/${network}`, symbol, ...figures, address];
    }),
  );
  if (rows.length === 0) return;
  terminal.line();
  for (const line of columns([WALLET_HEAD, ...rows])) terminal.line(line);
  for (const { environment, network, frozenReason } of wallets) {
    if (frozenReason !== null) terminal.problem(`${environment}/${network} is frozen: ${frozenReason}`);
  }
}

/** `withdrawals show`. */
export const withdrawalsShow = defineCommand({
  usage: 'withdrawals show <withdrawal id>',
  example: 'npx coffer withdrawals show wd_01k5n6yq2m8r4t0v3w5x7z9abc',
  details:
    'Shows the terms, the newest simulation, the transaction with every signed attempt, and the decisions of the vault and of\n' +
    'operators.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, { modules: [WithdrawalOperationsModule] }, async ({ get }) => {
      const details = await get(WithdrawalDetailsReader).of(id);
      for (const line of linesOf(details)) context.terminal.line(line);
      return EXIT.fine;
    }),
});

const linesOf = (details: WithdrawalDetails): string[] => [
  ...columns(termsOf(details)),
  ...transactionLines(details),
  ...verdictLines(details.verdicts),
];

function termsOf(details: WithdrawalDetails): string[][] {
  const { withdrawal, standing, newUntil, similar, sweeps } = details;
  const { tokenDecimals: decimals, token, failureCode, failureMessage } = withdrawal;
  return [
    ['Withdrawal', withdrawal.id],
    [
      'Status',
      standing === null ? withdrawal.status : `${withdrawal.status}: ${standing} (${standingText(standing, newUntil)})`,
    ],
    ...sweeps.map(({ id, progress, expected }) => [
      'Sweep',
      `${id} brings ${formatUnits(expected, decimals)} ${token} (${progress})`,
    ]),
    ...(failureCode === null ? [] : [['Failed', `${failureCode}: ${failureMessage ?? ''}`]]),
    ['Merchant', `${withdrawal.merchantId} (${withdrawal.environment})`],
    ['Pocket', withdrawal.pocketId],
    ['Amount', `${formatUnits(withdrawal.amount, decimals)} ${token} on ${withdrawal.network}`],
    ['Fee', `${formatUnits(withdrawal.feeAmount, decimals)} ${token} (${withdrawal.feeStrategy})`],
    ['To', withdrawal.destination],
    ...similar.map((other) => ['Looks like', `${other}, another destination of the merchant: compare every character`]),
    ...(withdrawal.reference === null ? [] : [['Reference', withdrawal.reference]]),
    ['Ordered', withdrawal.createdAt.toISOString()],
    ...simulationRows(details),
  ];
}

/** `withdrawals cancel`. */
export const withdrawalsCancel = defineCommand({
  usage: 'withdrawals cancel <withdrawal id> --reason TEXT',
  example: "npx coffer withdrawals cancel wd_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'ordered by mistake'",
  details:
    'Cancels a withdrawal that was never signed. The command asks the chain for unrecorded transactions, so the ..._RPC_URL of\n' +
    'the network must be set. Amount and fee are back in the pocket at once, and the merchant receives withdrawal.failed with\n' +
    'the code cancelled.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    const modules = [UnrecordedMarksModule, WithdrawalOperationsModule];
    return withServices(context, { modules, chains: true }, async (services) => {
      const { database, get } = services;
      const withdrawals = get(WithdrawalOperations);
      const chainRef = await withdrawals.chainOf(id);
      const unknown = await services.get(UnrecordedMarksReader).of((chain) => chain.chainRef === chainRef);
      await database.transaction((tx) => withdrawals.cancel(tx, id, order, unknown));
      context.terminal.line(`Withdrawal ${id} is cancelled. Its money is back in the pocket.`);
      return EXIT.fine;
    });
  },
});

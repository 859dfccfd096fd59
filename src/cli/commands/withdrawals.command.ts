import { formatUnits } from '../../domain/money.js';
import { standingText } from '../../domain/withdrawal.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
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
import { unknownNonces } from './unknown-nonces.js';

const LISTED_MAX = 500;
const HEAD = ['WITHDRAWAL', 'AGE', 'MERCHANT', 'CHAIN', 'AMOUNT', 'WAITS FOR'];
const WALLET_HEAD = ['HOT WALLET', 'TOKEN', 'HOLDS', 'FREE', 'COMING', 'WANTED', 'ADDRESS'];

/** `withdrawals waiting`. */
export const withdrawalsWaiting = defineCommand({
  usage: 'withdrawals waiting',
  example: 'npx coffer withdrawals waiting',
  details:
    'Every withdrawal that has not ended, the oldest first, with what it waits for, and what the hot wallets hold\n' +
    'and sweeps bring, beside what is wanted of them. Exits 1 when one waits for longer than 10 minutes to be signed or sent, or for\n' +
    'longer than 45 minutes to become final; never for what waits for an approval, or while its destination is new.',
  options: { json: { type: 'boolean', about: 'Print JSON, one withdrawal a line.' } },
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
    'Its terms, its newest simulation, its transaction with every signed attempt, and what the vault and staff decided about it.',
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
    ...similar.map((other) => ['Looks like', `${other}, another destination of the merchant: compare them whole`]),
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
    'Only one for which nothing was ever signed: its chain is asked for payments that are not known here, so the ..._RPC_URL\n' +
    'of its network must be set. Amount and fee are back in the pocket at once, and the merchant is told by\n' +
    'withdrawal.failed with the code cancelled.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    const modules = [RestoreModule, TreasuryChainsModule, WithdrawalOperationsModule];
    return withServices(context, { modules, chains: true }, async (services) => {
      const { database, get } = services;
      const withdrawals = get(WithdrawalOperations);
      const chainRef = await withdrawals.chainOf(id);
      const unknown = await unknownNonces(services, (chain) => chain.chainRef === chainRef);
      await database.transaction((tx) => withdrawals.cancel(tx, id, order, unknown));
      context.terminal.line(`Withdrawal ${id} is cancelled, and its money is back in the pocket.`);
      return EXIT.fine;
    });
  },
});

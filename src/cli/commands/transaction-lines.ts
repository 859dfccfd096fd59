import type {
  RecordedTransaction,
  RecordedVerdict,
  TransactionRecord,
} from '../../treasury/transactions/transaction-record.js';
import { columns } from '../terminal.js';

const ATTEMPT_HEAD = ['ATTEMPT', 'SIGNED', 'MAX FEE (WEI)', 'TIP (WEI)', 'HASH'];
const VERDICT_HEAD = ['AT', 'BY', 'ACTION', 'REASON'];

/** Returns the lines of an order's transaction with every signed attempt; none before the first signature. */
export function transactionLines({ transaction, attempts }: TransactionRecord): string[] {
  if (transaction === null) return [];
  const cells = attempts.map(({ number, signedAt, maxFeePerGas, maxPriorityFeePerGas, txHash }) => [
    String(number),
    signedAt,
    maxFeePerGas,
    maxPriorityFeePerGas,
    txHash,
  ]);
  const rows = columns(transactionRows(transaction));
  return ['', `Transaction ${transaction.id}`, ...rows, '', ...columns([ATTEMPT_HEAD, ...cells])];
}

/** Returns the row of the newest simulation; none before the first one. */
export function simulationRows({ simulation }: TransactionRecord): string[][] {
  if (simulation === null) return [];
  const { outcome, nodes, blockHeight, blockHash, at } = simulation;
  const by = nodes === 1 ? '1 node' : `${nodes} nodes`;
  return [['Simulated', `${outcome}, by ${by}, on block ${blockHeight} (${blockHash}), at ${at}`]];
}

/** Returns the decisions of the vault and of operators about an order. */
export function verdictLines(verdicts: readonly RecordedVerdict[]): string[] {
  const rows = verdicts.map(({ at, who, what, reason }) => [at, who, what, reason ?? '']);
  return ['', ...columns([VERDICT_HEAD, ...rows])];
}

function transactionRows(transaction: RecordedTransaction): string[][] {
  const { minedHash, minedHeight, feePaid, broadcastAt, replaceWantedAt } = transaction;
  return [
    ['  Status', transaction.status],
    ['  Chain', transaction.chainRef],
    ['  Sender', `${transaction.sender}, nonce ${transaction.nonce}`],
    ['  Gas limit', transaction.gasLimit],
    ['  Signed', transaction.signedAt],
    ['  Sent', broadcastAt ?? 'no node has accepted it yet'],
    ...(replaceWantedAt === null ? [] : [['  Stuck', `waits for a higher fee since ${replaceWantedAt}`]]),
    ...(minedHash === null ? [] : [['  Mined', `${minedHash} in block ${minedHeight}, for ${feePaid} wei`]]),
  ];
}

/** Formats an age in seconds, minutes or hours. */
export function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

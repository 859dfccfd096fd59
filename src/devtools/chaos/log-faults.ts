import { z } from 'zod';
import { quantity } from './block-numbers.js';
import type { Fault, Oracle } from './fault.js';
import type { RpcOutcome, RpcQuestion } from './rpc-message.js';
import type { SeededRandom } from './seeded-random.js';

/** The factor between an invented amount and that of the copied transfer. */
const INVENTED_TIMES = 1000n;

const LOG = z.looseObject({ transactionHash: z.string(), logIndex: z.string(), blockHash: z.string() });
/** The log of a token transfer: one word of data, its value. */
const TRANSFER = LOG.extend({ topics: z.array(z.string()).length(3), data: z.string().regex(/^0x[0-9a-f]{64}$/i) });
type Log = z.infer<typeof LOG>;

/** Returns a fault of `eth_getLogs` that changes lists which are not empty. */
function ofLogs(
  name: string,
  about: string,
  change: (logs: readonly unknown[], random: SeededRandom) => readonly unknown[],
): Fault {
  return {
    name,
    about,
    begin: (random) => ({
      kind: 'answer',
      falsify: (question, truth) => {
        const logs = logsIn(question, truth);
        return logs.length === 0 ? truth : { result: change(logs, random) };
      },
    }),
  };
}

function logsIn({ method }: RpcQuestion, truth: RpcOutcome): readonly unknown[] {
  const isList = method === 'eth_getLogs' && 'result' in truth && Array.isArray(truth.result);
  return isList ? z.array(z.unknown()).parse(truth.result) : [];
}

/** Returns a transfer like the last one of the list, in a transaction that does not exist, with a thousandfold amount. */
function inventedAfter(logs: readonly unknown[], random: SeededRandom): { log: Log; model: Log } | null {
  const model = logs.map((log) => TRANSFER.safeParse(log).data).findLast((log) => log !== undefined);
  const last = LOG.safeParse(logs.at(-1)).data;
  if (model === undefined || last === undefined) return null;
  const value = BigInt(model.data) * INVENTED_TIMES;
  const log = {
    ...model,
    transactionHash: random.hex(32),
    logIndex: quantity(Number(last.logIndex) + 1),
    data: `0x${value.toString(16).padStart(64, '0')}`,
  };
  return { log, model };
}

/** The invented transfers by transaction, so that repeated questions get the same answers. */
class Inventions {
  private readonly byBlock = new Map<string, Log>();
  private readonly byTransaction = new Map<string, { log: Log; model: Log }>();

  constructor(private readonly random: SeededRandom) {}

  addTo(logs: readonly unknown[]): readonly unknown[] {
    const block = LOG.safeParse(logs.at(-1)).data?.blockHash ?? '';
    const known = this.byBlock.get(block);
    if (known !== undefined) return [...logs, known];
    const invention = inventedAfter(logs, this.random);
    if (invention === null) return logs;
    this.byBlock.set(block, invention.log);
    this.byTransaction.set(invention.log.transactionHash, invention);
    return [...logs, invention.log];
  }

  /** Returns the transaction, or its receipt, of an invented transfer: a copy of its model with another hash. */
  async lookUp({ method, params }: RpcQuestion, truth: RpcOutcome, node: Oracle): Promise<RpcOutcome> {
    const invention = this.byTransaction.get(String(params[0]));
    if (invention === undefined) return truth;
    const { log, model } = invention;
    const real = z.looseObject({}).safeParse(await node.resultOf(method, model.transactionHash)).data;
    if (real === undefined) return truth;
    return method === 'eth_getTransactionReceipt'
      ? { result: { ...real, transactionHash: log.transactionHash, logs: [log] } }
      : { result: { ...real, hash: log.transactionHash } };
  }
}

const NAMES_TRANSACTION = ['eth_getTransactionReceipt', 'eth_getTransactionByHash'];

/** Faults about the content of a block. */
export const LOG_FAULTS: readonly Fault[] = [
  {
    name: 'null',
    about: 'answers null',
    begin: () => ({ kind: 'answer', falsify: () => ({ result: null }) }),
  },
  {
    name: 'empty-logs',
    about: 'returns no logs at the first call, and all logs afterwards',
    begin: () => {
      const asked = new Set<string>();
      return {
        kind: 'answer',
        falsify: (question, truth) => {
          const key = JSON.stringify(question.params);
          if (logsIn(question, truth).length === 0 || asked.has(key)) return truth;
          asked.add(key);
          return { result: [] };
        },
      };
    },
  },
  ofLogs('duplicate-logs', 'returns every log twice', (logs) => logs.flatMap((log) => [log, log])),
  ofLogs('reordered-logs', 'returns the logs in another order', (logs, random) => random.shuffled(logs)),
  ofLogs('removed-logs', 'marks every log as removed', (logs) =>
    logs.map((log) => ({ ...z.looseObject({}).parse(log), removed: true })),
  ),
  ofLogs('invented-log', 'invents a transfer in a transaction that it does not have', (logs, random) => {
    const invention = inventedAfter(logs, random);
    return invention === null ? logs : [...logs, invention.log];
  }),
  {
    name: 'invented-transfer',
    about: 'invents a transfer, with a receipt',
    needsSecondNode: true,
    begin: (random) => {
      const inventions = new Inventions(random);
      return {
        kind: 'answer',
        falsify: (question, truth, node) => {
          if (NAMES_TRANSACTION.includes(question.method)) return inventions.lookUp(question, truth, node);
          const logs = logsIn(question, truth);
          return logs.length === 0 ? truth : { result: inventions.addTo(logs) };
        },
      };
    },
  },
];

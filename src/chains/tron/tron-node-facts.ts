import { z } from 'zod';
import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { abilityOf, HISTORY_MS, inDays, versionOf } from '../node-abilities.js';
import type { NodeFacts } from '../node-facts.js';
import { isRecord } from '../rpc/json-rpc.js';
import { parsed } from './answer-shapes.js';
import { TokenCalls } from './token-calls.js';
import type { TronHttp } from './tron-http.js';

/** A block comes every three seconds. */
const INTERVAL_MS = 3_000;
/** Blocks that are searched for a saved internal transaction: most have some. */
const SEARCHED_BLOCKS = 5;

const nodeInfoShape = z.object({ configNodeInfo: z.object({ codeVersion: z.string() }) });
const parametersShape = z.object({
  chainParameter: z.array(z.object({ key: z.string(), value: z.int().optional() })),
});
const infosShape = z.array(z.object({ internal_transactions: z.array(z.unknown()).optional() }));

/** The blocks of a node that its facts are asked about. */
interface ReadHeads {
  head(): Promise<BlockHeader>;
  headerAt(height: number): Promise<BlockHeader | null>;
}

/**
 * Returns what a node says about itself, and whether it has what listener and treasury ask of it.
 * @param tokens keys of contracts
 */
export async function tronNodeFacts(http: TronHttp, blocks: ReadHeads, tokens: readonly string[]): Promise<NodeFacts> {
  const version = await versionOf(async () => {
    const answer = parsed(nodeInfoShape, await http.ask('wallet', 'getnodeinfo', {}), 'description of the node');
    return answer.configNodeInfo.codeVersion;
  });
  const head = await blocks.head();
  const abilities = [
    await abilityOf(
      {
        name: 'chain parameters',
        isRequired: true,
        advice: 'use a node that answers getchainparameters: withdrawals have no fee without it',
      },
      async () => {
        const answer = await http.ask('wallet', 'getchainparameters', {});
        const { chainParameter } = parsed(parametersShape, answer, 'list of parameters');
        const price = chainParameter.find(({ key }) => key === 'getEnergyFee')?.value;
        if (price === undefined) throw new ChainUnavailable('The node names no price of energy.');
        return `a unit of energy costs ${price} sun`;
      },
    ),
    await abilityOf(
      {
        name: 'whole transfers',
        isRequired: false,
        advice:
          'deposits count what arrives in this contract; withdrawals in the token are refused and its sweeps wait until its issuer changes that',
      },
      async () => wholeTransfers(http, tokens),
    ),
    await abilityOf(
      {
        name: 'history',
        isRequired: false,
        advice: 'after a downtime longer than its history the listener halts: use a full node, not a light one',
      },
      async () => history(http, blocks, head),
    ),
    await abilityOf(
      {
        name: 'internal transactions',
        isRequired: false,
        advice:
          'TRX that a contract pays is credited, but its sender is unknown: set vm.saveInternalTx in the configuration of java-tron',
      },
      async () => internalTransactions(http, head),
    ),
  ];
  return { version, abilities };
}

/** Reads a block that is two days old, or the first one of a younger chain, with what came of its transactions. */
async function history(http: TronHttp, blocks: ReadHeads, head: BlockHeader): Promise<string> {
  const height = Math.max(1, head.height - HISTORY_MS / INTERVAL_MS);
  const old = await blocks.headerAt(height);
  if (old === null) throw new ChainUnavailable(`The node has no block ${height}.`);
  await infosAt(http, height);
  return `blocks of ${inDays(head.time.getTime() - old.time.getTime())}`;
}

async function wholeTransfers(http: TronHttp, tokens: readonly string[]): Promise<string> {
  const calls = new TokenCalls(http, 'wallet');
  for (const token of tokens) {
    const change = await calls.changeOf(token);
    if (change !== null) throw new ChainUnavailable(`${token} ${change}`);
  }
  return 'no token takes a fee of them';
}

async function internalTransactions(http: TronHttp, head: BlockHeader): Promise<string> {
  const heights = Array.from({ length: SEARCHED_BLOCKS }, (_, place) => head.height - place).filter((at) => at > 0);
  const found = await Promise.all(heights.map((height) => infosAt(http, height)));
  if (found.flat().some(({ internal_transactions: saved = [] }) => saved.length > 0)) return 'saved';
  throw new ChainUnavailable(`none in ${heights.length} blocks: the node saves none, or the blocks had none`);
}

async function infosAt(http: TronHttp, num: number): Promise<z.infer<typeof infosShape>> {
  const answer = await http.ask('wallet', 'gettransactioninfobyblocknum', { num });
  // Some versions answer `{}` for a block without transactions.
  return parsed(infosShape, isRecord(answer) && Object.keys(answer).length === 0 ? [] : answer, 'list of infos');
}

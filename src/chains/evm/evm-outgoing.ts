import { keccak_256 } from '@noble/hashes/sha3.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FeeHistory } from '../../domain/network-fee.js';
import { ChainUnavailable } from '../chain.js';
import { type JsonRpc, type RpcCall, RpcRefusal } from '../rpc/json-rpc.js';
import type {
  AtBlock,
  BroadcastAnswer,
  Holding,
  HoldingQuery,
  KnownTransaction,
  OutgoingClient,
  SimulatedOutcome,
  SimulatedPayment,
  TransactionReceipt,
} from '../outgoing.js';
import { simulatePayments } from './payment-simulation.js';
import { readHash, readInteger, readList, readQuantity, readReceipt, readRecord } from './rpc-values.js';
import { signedBytesOf } from './signed-bytes.js';
import { balanceOfData, blackListData, wordOf } from './token-calls.js';

const HISTORY_BLOCKS = '0x14';
const TIP_PERCENTILES = [50, 90];
const CODE = /^0x(?:[0-9a-f]{2})*$/i;

/** Pays on one EVM chain through one RPC URL. */
export class EvmOutgoing implements OutgoingClient {
  constructor(private readonly rpc: Pick<JsonRpc, 'call' | 'batch' | 'outcomes'>) {}

  async feeHistory(): Promise<FeeHistory> {
    return readFeeHistory(await this.rpc.call('eth_feeHistory', [HISTORY_BLOCKS, 'latest', TIP_PERCENTILES]));
  }

  async broadcast(raw: string): Promise<BroadcastAnswer> {
    const [answer] = await this.broadcastAll([raw]);
    if (answer === undefined) throw new Error('Bytes were handed over without an answer.');
    return answer;
  }

  async broadcastAll(raws: readonly string[]): Promise<readonly BroadcastAnswer[]> {
    const outcomes = await this.rpc.outcomes(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })));
    return outcomes.map((outcome, place) => {
      if ('refusal' in outcome) return { accepted: false, message: outcome.refusal.message };
      const taken = readHash(outcome.result, 'transaction hash');
      if (taken === hashOf(raws[place] ?? '')) return { accepted: true };
      throw new ChainUnavailable(`The node took a transaction for another one, ${taken}.`);
    });
  }

  async isKnown(txHash: string): Promise<boolean> {
    const [isKnown] = await this.areKnown([txHash]);
    return isKnown === true;
  }

  async areKnown(txHashes: readonly string[]): Promise<readonly boolean[]> {
    return (await this.transactions(txHashes)).map((answer) => answer !== null);
  }

  async transaction(txHash: string): Promise<KnownTransaction | null> {
    const [answer = null] = await this.transactions([txHash]);
    if (answer === null) return null;
    const raw = signedBytesOf(answer);
    if (raw !== null && hashOf(raw) !== txHash) {
      throw new ChainUnavailable(`The node's description of transaction ${txHash} does not match the hash.`);
    }
    return { txHash, raw };
  }

  async receiptsOf(txHashes: readonly string[]): Promise<readonly (TransactionReceipt | null)[]> {
    const answers = await this.rpc.batch(
      txHashes.map((txHash) => ({ method: 'eth_getTransactionReceipt', params: [txHash] })),
    );
    return txHashes.map((txHash, index) => readTransactionReceipt(answers[index], txHash));
  }

  async nonceAt(block: AtBlock, address: string): Promise<number> {
    const answer = await this.rpc.call('eth_getTransactionCount', [address, { blockHash: block.hash }]);
    return readInteger(answer, 'transaction count');
  }

  async pendingNonce(address: string): Promise<number> {
    return readInteger(await this.rpc.call('eth_getTransactionCount', [address, 'pending']), 'transaction count');
  }

  async tokenBalancesAt(block: AtBlock, tokens: readonly string[], address: string): Promise<readonly bigint[]> {
    const answers = await this.rpc.batch(tokens.map((token) => balanceCall(block, { address, token })));
    return answers.map(readWord);
  }

  async codesAt(block: AtBlock, addresses: readonly string[]): Promise<readonly string[]> {
    const answers = await this.rpc.batch(addresses.map((address) => accountCall('eth_getCode', block, address)));
    return answers.map(readCode);
  }

  simulate(
    block: AtBlock,
    payments: readonly SimulatedPayment[],
  ): Promise<readonly (SimulatedOutcome | null)[] | null> {
    return simulatePayments(this.rpc, block, payments);
  }

  async holdingsAt(block: AtBlock, holdings: readonly HoldingQuery[]): Promise<readonly Holding[]> {
    const answers = await this.rpc.batch(
      holdings.flatMap(({ address, token }) => [
        token === NATIVE_COIN ? accountCall('eth_getBalance', block, address) : balanceCall(block, { address, token }),
        accountCall('eth_getTransactionCount', block, address),
        accountCall('eth_getCode', block, address),
      ]),
    );
    return holdings.map(({ token }, place) => {
      const [balance, nonce, code] = answers.slice(3 * place);
      return {
        units: token === NATIVE_COIN ? readQuantity(balance, 'balance') : readWord(balance),
        nonce: readInteger(nonce, 'transaction count'),
        code: readCode(code),
      };
    });
  }

  /** What the node says of transactions; null in the place of one that it does not know. */
  private async transactions(txHashes: readonly string[]): Promise<readonly unknown[]> {
    const answers = await this.rpc.batch(
      txHashes.map((txHash) => ({ method: 'eth_getTransactionByHash', params: [txHash] })),
    );
    return answers.map((answer, place) => {
      if (answer === null) return null;
      const found = readHash(readRecord(answer, 'transaction')['hash'], 'transaction hash');
      if (found === txHashes[place]) return answer;
      throw new ChainUnavailable(`The node answered transaction ${txHashes[place]} with ${found}.`);
    });
  }

  async isFrozenByIssuer(token: string, address: string): Promise<boolean> {
    for (const data of blackListData(address)) {
      if (await this.isTrue({ to: token, data })) return true;
    }
    return false;
  }

  /** Returns false for a contract without the function, which refuses the call or returns no data. */
  private async isTrue(call: { readonly to: string; readonly data: string }): Promise<boolean> {
    try {
      return wordOf(await this.rpc.call('eth_call', [call, 'latest'])) === 1n;
    } catch (error) {
      if (error instanceof RpcRefusal) return false;
      throw error;
    }
  }
}

const accountCall = (method: string, block: AtBlock, address: string): RpcCall => ({
  method,
  params: [address, { blockHash: block.hash }],
});

function balanceCall(block: AtBlock, { address, token }: HoldingQuery): RpcCall {
  return { method: 'eth_call', params: [{ to: token, data: balanceOfData(address) }, { blockHash: block.hash }] };
}

/** Returns a transaction's hash, which is that of its signed bytes (also before EIP-2718). */
function hashOf(raw: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;
}

/** Parses the answer of `eth_feeHistory`: one base fee per block and that of the next, one row of tips per block. */
function readFeeHistory(value: unknown): FeeHistory {
  const history = readRecord(value, 'fee history');
  const baseFees = readList(history['baseFeePerGas'], 'list of base fees').map((fee) => readQuantity(fee, 'base fee'));
  const tips = readList(history['reward'], 'list of tips').map(readTips);
  const nextBaseFee = baseFees.at(-1);
  if (nextBaseFee === undefined || baseFees.length !== tips.length + 1) {
    throw new ChainUnavailable('The node answered with an incomplete fee history.');
  }
  return { nextBaseFee, tips };
}

function readTips(value: unknown): FeeHistory['tips'][number] {
  const [median, high, ...more] = readList(value, 'row of tips').map((tip) => readQuantity(tip, 'tip'));
  if (median === undefined || high === undefined || more.length > 0 || high < median) {
    throw new ChainUnavailable('The node answered with a malformed row of tips.');
  }
  return { median, high };
}

function readTransactionReceipt(answer: unknown, asked: string): TransactionReceipt | null {
  if (answer === null) return null;
  const { txHash, blockHash, succeeded, logs } = readReceipt(answer);
  if (txHash !== asked) throw new ChainUnavailable(`The node answered the receipt of ${asked} with that of ${txHash}.`);
  const receipt = readRecord(answer, 'receipt');
  return {
    txHash,
    blockHash,
    height: readInteger(receipt['blockNumber'], 'block number of a receipt'),
    succeeded,
    gasUsed: readQuantity(receipt['gasUsed'], 'gas of a receipt'),
    effectiveGasPrice: readQuantity(receipt['effectiveGasPrice'], 'gas price of a receipt'),
    logs,
  };
}

/** Parses the code of an account, in lower case. */
function readCode(value: unknown): string {
  if (typeof value !== 'string' || !CODE.test(value))
    throw new ChainUnavailable('The node answered with malformed code.');
  return value.toLowerCase();
}

/** Parses a number that a contract returned. An address without code returns no data, which is not a balance. */
function readWord(value: unknown): bigint {
  const units = wordOf(value);
  if (units === null) throw new ChainUnavailable('The node answered with a malformed token balance.');
  return units;
}

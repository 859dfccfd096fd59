import { base58Of } from '../address.js';
import type { TronNode } from '../chain/tron-node.js';
import { callData } from '../vm/call-data.js';
import { CONTROL_PARAMS, type ControlAnswer, type NodeFailure, type TestToken } from './control-calls.js';
import { DevTransactions, keyOf } from './dev-transactions.js';

const BLOCK_METHODS: Readonly<Record<TestToken, { readonly block: string; readonly release: string }>> = {
  USDT: { block: 'addBlackList(address)', release: 'removeBlackList(address)' },
  USDC: { block: 'blacklist(address)', release: 'unBlacklist(address)' },
};

/** Failures that a test has ordered, by the call's name. */
export class OrderedFailures {
  private readonly orders = new Map<string, { how: NodeFailure['how']; count: number }>();

  order({ call, count, how }: NodeFailure): void {
    this.orders.set(call, { how, count });
  }

  /** Takes the failure of the next call of this name, or null when it is to succeed. */
  take(call: string): NodeFailure['how'] | null {
    const order = this.orders.get(call);
    if (order === undefined) return null;
    if (order.count === 1) this.orders.delete(call);
    else order.count -= 1;
    return order.how;
  }
}

type Work = (params: unknown) => Promise<string | void>;

/** Does the control calls. */
export class ControlServer {
  private readonly transactions: DevTransactions;
  private readonly works: ReadonlyMap<string, Work>;

  private readonly node: TronNode;

  constructor(node: TronNode, failures: OrderedFailures) {
    this.node = node;
    this.transactions = new DevTransactions(node);
    this.works = new Map<string, Work>([
      ['info', async (params) => void CONTROL_PARAMS.info.parse(params)],
      ['mine', async (params) => node.mine(CONTROL_PARAMS.mine.parse(params).blocks)],
      ['miss', async (params) => node.advanceClock(CONTROL_PARAMS.miss.parse(params).slots * node.chain.intervalMs)],
      ['advanceClock', async (params) => node.advanceClock(CONTROL_PARAMS.advanceClock.parse(params).ms)],
      ['fork', async (params) => this.fork(params)],
      ['settings', async (params) => node.change(CONTROL_PARAMS.settings.parse(params))],
      ['failNext', async (params) => failures.order(CONTROL_PARAMS.failNext.parse(params))],
      ['fund', async (params) => this.fund(params)],
      ['block', async (params) => this.block(params)],
      ['tokenFee', async (params) => this.setTokenFee(params)],
      ['deprecate', async (params) => this.deprecate(params)],
      ['pauseToken', async (params) => this.pauseToken(params)],
    ]);
  }

  /** @throws Error when the call is unknown, its parameters are wrong, or the chain refuses it. */
  async run(call: string, params: unknown): Promise<ControlAnswer> {
    const work = this.works.get(call);
    if (work === undefined) throw new Error(`There is no control call ${call}.`);
    const transactionId = await work(params);
    return { info: this.info(), ...(typeof transactionId === 'string' ? { transactionId } : {}) };
  }

  private info(): ControlAnswer['info'] {
    const { chain } = this.node;
    const { TronTether, TronUsdCoin, PayoutBox, StorageWriter, RevertingForwarder } = chain.contracts;
    return {
      genesisId: chain.blocks.idOf(0),
      head: chain.head,
      headId: chain.blocks.idOf(chain.head),
      solid: chain.solid,
      now: this.node.now(),
      intervalMs: chain.intervalMs,
      pending: chain.pendingTransactions.length,
      tokens: { USDT: base58Of(TronTether), USDC: base58Of(TronUsdCoin) },
      contracts: {
        PayoutBox: base58Of(PayoutBox),
        StorageWriter: base58Of(StorageWriter),
        RevertingForwarder: base58Of(RevertingForwarder),
      },
    };
  }

  private async fork(params: unknown): Promise<void> {
    const { blocks, keep } = CONTROL_PARAMS.fork.parse(params);
    await this.node.fork(blocks, keep);
  }

  private async fund(params: unknown): Promise<string> {
    const { to, token, amount } = CONTROL_PARAMS.fund.parse(params);
    if (token === null) return this.transactions.transfer('faucet', keyOf(to), BigInt(amount));
    const data = callData('transfer(address,uint256)', keyOf(to), BigInt(amount));
    return this.transactions.call('faucet', this.contractOf(token), data);
  }

  private async block(params: unknown): Promise<string> {
    const { token, account, isBlocked } = CONTROL_PARAMS.block.parse(params);
    const { block, release } = BLOCK_METHODS[token];
    return this.asIssuer(token, callData(isBlocked ? block : release, keyOf(account)));
  }

  private async setTokenFee(params: unknown): Promise<string> {
    const { basisPoints, maxFee } = CONTROL_PARAMS.tokenFee.parse(params);
    return this.asIssuer('USDT', callData('setParams(uint256,uint256)', BigInt(basisPoints), BigInt(maxFee)));
  }

  private async deprecate(params: unknown): Promise<string> {
    const { upgraded } = CONTROL_PARAMS.deprecate.parse(params);
    return this.asIssuer('USDT', callData('deprecate(address)', keyOf(upgraded)));
  }

  private async pauseToken(params: unknown): Promise<string> {
    const { isPaused } = CONTROL_PARAMS.pauseToken.parse(params);
    return this.asIssuer('USDC', callData('setPaused(bool)', isPaused ? 1n : 0n));
  }

  private async asIssuer(token: TestToken, data: Uint8Array): Promise<string> {
    return this.transactions.call('minter', this.contractOf(token), data);
  }

  private contractOf(token: TestToken): string {
    const { TronTether, TronUsdCoin } = this.node.chain.contracts;
    return token === 'USDT' ? TronTether : TronUsdCoin;
  }
}

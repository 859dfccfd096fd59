import { z } from 'zod';
import type { SettingsChange } from '../chain/settings.js';
import {
  CONTROL_ANSWER,
  CONTROL_PATH,
  type CONTROL_PARAMS,
  type ControlAnswer,
  type ControlCall,
  type NodeFailure,
  type TestToken,
  type TronChainInfo,
} from './control-calls.js';

const TIMEOUT_MS = 60_000;
const REFUSED = z.object({ error: z.string() });

/** The chain refused a control call. */
export class ControlRefusal extends Error {
  override name = 'ControlRefusal';
}

/** Controls a running development chain; every method resolves when it is done, and throws when the chain refuses. */
export class TronControls {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async info(): Promise<TronChainInfo> {
    return (await this.call('info', {})).info;
  }

  /** Makes blocks at once, and moves the clock to the last of them. */
  async mine(blocks = 1): Promise<TronChainInfo> {
    return (await this.call('mine', { blocks })).info;
  }

  /** Lets slots pass without a block. */
  async miss(slots: number): Promise<void> {
    await this.call('miss', { slots });
  }

  /** Stops the blocks that come by themselves. */
  async pause(): Promise<void> {
    await this.settings({ isPaused: true });
  }

  async resume(): Promise<void> {
    await this.settings({ isPaused: false });
  }

  /** Drops the last blocks, which must not be solid. Their transactions return to the pending ones, or vanish. */
  async fork(blocks: number, transactions: 'return' | 'vanish'): Promise<TronChainInfo> {
    return (await this.call('fork', { blocks, keep: transactions === 'return' })).info;
  }

  async advanceClock(ms: number): Promise<void> {
    await this.call('advanceClock', { ms });
  }

  /** Sends TRX (`null`) or tokens of the faucet, in smallest units. Returns the transaction's id. */
  async fund(to: string, token: TestToken | null, amount: bigint): Promise<string> {
    return this.send('fund', { to, token, amount: `${amount}` });
  }

  /** Lets the issuer block an account. Returns the transaction's id. */
  async blacklist(token: TestToken, account: string): Promise<string> {
    return this.send('block', { token, account, isBlocked: true });
  }

  async unblacklist(token: TestToken, account: string): Promise<string> {
    return this.send('block', { token, account, isBlocked: false });
  }

  /** Lets USDT take a fee of transfers: hundredths of a percent (below 20), at most so many tokens (below 50). */
  async setTokenFee(basisPoints: number, maxFee: number): Promise<string> {
    return this.send('tokenFee', { basisPoints, maxFee });
  }

  async deprecateToken(upgraded: string): Promise<string> {
    return this.send('deprecate', { upgraded });
  }

  /** Lets USDC stop all transfers, or allow them again. */
  async pauseToken(isPaused: boolean): Promise<string> {
    return this.send('pauseToken', { isPaused });
  }

  /** Sun per energy from now on. */
  async setEnergyPrice(sun: number): Promise<void> {
    await this.setChainParameters({ getEnergyFee: sun });
  }

  /** Parameters by the keys of `getchainparameters`. */
  async setChainParameters(parameters: Readonly<Record<string, number>>): Promise<void> {
    await this.settings({ parameters: { ...parameters } });
  }

  /** What calls to a contract, by its address key, cost on top, in ten-thousandths (dynamic energy). */
  async setEnergyFactor(contract: string, factor: number): Promise<void> {
    await this.settings({ energyFactors: { [contract]: factor } });
  }

  async setInternalTransactions(mode: 'on' | 'off' | 'flapping'): Promise<void> {
    await this.settings({ internalTransactions: mode });
  }

  async setSolidityDistance(blocks: number): Promise<void> {
    await this.settings({ solidityDistance: blocks });
  }

  async setEstimateEnergy(isOn: boolean): Promise<void> {
    await this.settings({ isEstimateEnergyOn: isOn });
  }

  /** Lets the node fail in its next calls of one name. */
  async failNext(call: string, how: NodeFailure['how'], count = 1): Promise<void> {
    await this.call('failNext', { call, how, count });
  }

  private async settings(change: SettingsChange): Promise<void> {
    await this.call('settings', change);
  }

  private async send<C extends ControlCall>(call: C, params: z.input<(typeof CONTROL_PARAMS)[C]>): Promise<string> {
    const { transactionId } = await this.call(call, params);
    if (transactionId === undefined) throw new Error(`${call} sent no transaction.`);
    return transactionId;
  }

  private async call<C extends ControlCall>(
    call: C,
    params: z.input<(typeof CONTROL_PARAMS)[C]>,
  ): Promise<ControlAnswer> {
    const response = await fetch(`${this.url}${CONTROL_PATH}${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new ControlRefusal(`${call}: ${REFUSED.parse(answer).error}`);
    return CONTROL_ANSWER.parse(answer);
  }
}

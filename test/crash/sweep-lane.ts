import { Interface } from 'ethers';
import { z } from 'zod';
import { SWEEP_DELEGATE } from '../../src/chains/evm/sweep-contracts.js';
import { giveTestCoins } from '../../src/devtools/devnet/test-coin.js';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import type { LaneAsset } from '../support/crash-lanes.js';
import type { DevChainControls } from '../support/dev-chain-controls.js';
import { eventually } from '../support/eventually.js';
import type { ServiceBuild } from '../support/service-build.js';
import type { Exit } from '../support/service-process.js';
import { expectPayoutsInOrder } from '../withdrawals/payouts.js';
import { sweepsOf } from '../withdrawals/sweeps.js';
import { ServiceLane } from './service-lane.js';

const RECOVERED_WITHIN_MS = 60_000;
/** Coins for gas; worth less than a hot wallet's cap on every network. */
const COINS = 10n * 10n ** 18n;
const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const LOGS = z.array(z.object({ transactionHash: z.string(), data: z.string() }));

/** The outcome of one deposit whose service was killed while it was swept. */
export interface SweptSurvival {
  readonly exit: Exit;
  /** The amount paid to the address, and the amount of its sweeps by our rows, in smallest units. */
  readonly paid: bigint;
  readonly swept: readonly (bigint | null)[];
  /** All transfers from the address to the hot wallet on the chain. */
  readonly moved: readonly bigint[];
  /** The remaining balance of the address. */
  readonly left: bigint;
  readonly attempts: readonly number[];
}

/** Customers pay, and their payments are swept, over many runs of the service. */
export class SweepLane extends ServiceLane {
  /** Starts a service that dies at the failpoint, and funds its hot wallet with gas. */
  static async open(build: ServiceBuild, asset: LaneAsset, failpoint: string): Promise<SweepLane> {
    const { dir, db } = await ServiceLane.ground();
    const place = { build, asset, env: { SWEEP_FEE_SHARE_BPS: '100' } };
    const lane = new SweepLane(place, dir, db, failpoint);
    return lane.prepare(async () => {
      const { chain } = await lane.service.chain(lane.network);
      await giveTestCoins(chain.rpcUrl, await lane.hotWallet(), COINS);
    });
  }

  /** Sweeps one deposit with a service that dies on the way and is started again, to die at `next` then. */
  async survive(next: string | null): Promise<SweptSurvival> {
    const { database } = this.db;
    const exit = this.revived(next);
    const chain = await this.service.chain(this.network);
    const order = { network: this.network, token: this.symbol, amount_cents: 100_000 };
    const intent = await intentWithAddress(await this.service.api(), order);
    const [address, paid] = [addressOf(intent), BigInt(intent.crypto_amount ?? 0)];
    await chain.pay({ to: address, token: this.token, amount: paid });
    const ofAddress = async () =>
      (await sweepsOf(database)).filter(({ items }) => items.some((item) => item.address === address.toLowerCase()));
    const ended = await exit;
    await eventually(
      ofAddress,
      (found) => found.length > 0 && found.every(({ isFinished }) => isFinished),
      RECOVERED_WITHIN_MS,
    );
    await expectBooksInOrder(database);
    await expectPayoutsInOrder(database);
    const sweeps = await ofAddress();
    return {
      exit: ended,
      paid,
      swept: sweeps.flatMap(({ items }) => items.map((item) => item.swept)),
      moved: await this.movedFrom(chain, address),
      left: await chain.balance(this.token, address),
      attempts: sweeps.map(({ attempts }) => attempts.length),
    };
  }

  /** What left an address for the hot wallet, by the logs of the token, or of the code that the address runs. */
  private async movedFrom(chain: DevChainControls, address: string): Promise<bigint[]> {
    const filter =
      this.token === null
        ? { address, topics: SWEEP_DELEGATE.encodeFilterTopics('CoinSwept', []) }
        : { topics: TRANSFER.encodeFilterTopics('Transfer', [address, await this.hotWallet()]) };
    const logs = await chain.ask(LOGS, 'eth_getLogs', { ...filter, fromBlock: '0x0', toBlock: 'latest' });
    return logs.map(({ data }) => BigInt(data));
  }
}

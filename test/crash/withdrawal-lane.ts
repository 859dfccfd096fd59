import { randomUUID } from 'node:crypto';
import { Interface, Wallet } from 'ethers';
import { z } from 'zod';
import type { DevChainControls } from '../support/dev-chain-controls.js';
import { giveTestCoins } from '../../src/devtools/devnet/test-coin.js';
import { mintTestTokens } from '../../src/devtools/devnet/test-token.js';
import { coinOf } from '../../src/chains/networks.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { expectBooksInOrder, pocketOf } from '../support/books.js';
import type { LaneAsset } from '../support/crash-lanes.js';
import { eventually } from '../support/eventually.js';
import type { ServiceBuild } from '../support/service-build.js';
import type { Exit } from '../support/service-process.js';
import { query } from '../support/sql.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from '../withdrawals/payouts.js';
import { pocketOn } from '../withdrawals/withdrawals.js';
import { ServiceLane } from './service-lane.js';

const RECOVERED_WITHIN_MS = 45_000;
/** Of tokens: ten dollars. */
const AMOUNT_CENTS = 1_000;
/** Of coins: a hundredth of one. */
const AMOUNT_OF_COINS = 1_000_000;
const PLENTY = 1_000_000n;
const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const LOGS = z.array(z.object({ transactionHash: z.string() }));
const BLOCK = z.object({ transactions: z.array(z.object({ hash: z.string(), to: z.string().nullable() })) });

/** The outcome of one withdrawal whose service was killed on the way. */
export interface Survival {
  readonly exit: Exit;
  readonly status: string;
  /** Hashes of the transactions on the chain that paid the destination. */
  readonly mined: readonly string[];
  readonly shownHash: string | null;
  /** Smallest units: the destination's balance, the ordered amount, the amount that left the pocket without the fee. */
  readonly arrived: bigint;
  readonly ordered: bigint;
  readonly charged: bigint;
  readonly attempts: number;
  readonly events: readonly string[];
}

/** A merchant withdraws, over many runs of the service. */
export class WithdrawalLane extends ServiceLane {
  /** Starts a service that dies at the failpoint, and fills pocket and hot wallet. */
  static async open(build: ServiceBuild, asset: LaneAsset, failpoint: string): Promise<WithdrawalLane> {
    const { dir, db } = await ServiceLane.ground();
    const lane = new WithdrawalLane({ build, asset }, dir, db, failpoint);
    return lane.prepare(() => lane.stock());
  }

  /** Completes one withdrawal with a service that dies on the way and is started again, to die at `next` then. */
  async survive(next: string | null): Promise<Survival> {
    const armed = this.service;
    const exit = this.revived(next);
    const chain = await armed.chain(this.network);
    const { merchant_id: merchantId } = await armed.sandbox();
    const before = await pocketOf(this.db.database, merchantId, this.network, this.symbol);
    const above = await chain.height();
    const destination = Wallet.createRandom().address;
    const { id, network_fee_cents: feeCents } = await this.order(destination);
    await this.untilCompleted(id);
    const ended = await exit;
    // Once more after the restart: the answer from before the kill must still hold.
    const { status, tx_hash: shownHash } = await this.untilCompleted(id);
    await expectBooksInOrder(this.db.database);
    await expectPayoutsInOrder(this.db.database);
    const after = await pocketOf(this.db.database, merchantId, this.network, this.symbol);
    const cent = this.minorUnit(chain);
    return {
      exit: ended,
      status,
      mined: await (this.token === null
        ? coinsMinedFor(chain, destination, above)
        : tokensMinedFor(chain, destination)),
      shownHash,
      arrived: await chain.balance(this.token, destination),
      ordered: BigInt(this.amount) * cent,
      charged: before - after - BigInt(feeCents) * cent,
      attempts: (await payoutOf(this.db.database, id))?.attempts.length ?? 0,
      events: await withdrawalEvents(this.db.database, id),
    };
  }

  /** Fills the pocket by a payment, and the hot wallet, so that no withdrawal waits for funds. */
  private async stock(): Promise<void> {
    const { database } = this.db;
    const chain = await this.service.chain(this.network);
    const hotWallet = await this.hotWallet();
    const { rpcUrl, tokens } = chain.chain;
    await mintTestTokens(rpcUrl, tokens['USDC']?.address ?? '', hotWallet, PLENTY * 10n ** 18n);
    await giveTestCoins(rpcUrl, hotWallet, PLENTY * 10n ** 18n);
    const api = await this.service.api();
    const intent = await intentWithAddress(api, { network: this.network, token: this.symbol, amount_cents: 100_000 });
    await chain.pay({ to: addressOf(intent), token: this.token, amount: BigInt(intent.crypto_amount ?? 0) });
    await eventually(
      async () => (await pocketOn(api, this.network, this.symbol)).available_cents,
      (seen) => seen > 0,
    );
    await eventually(
      async () => {
        const empty = await query(database, `select from hot_balance where amount = 0`);
        const known = await query(database, `select from hot_balance`);
        // The wallet gets no USDT.
        return known.length - empty.length;
      },
      (seen) => seen === 2,
    );
  }

  /** What each withdrawal pays, in minor units of the pocket. */
  private get amount(): number {
    return this.token === null ? AMOUNT_OF_COINS : AMOUNT_CENTS;
  }

  /** A minor unit of the pocket in smallest units. */
  private minorUnit({ chain }: DevChainControls): bigint {
    const { decimals, minorUnitExponent } = coinOf(this.network);
    if (this.token === null) return 10n ** BigInt(decimals - minorUnitExponent);
    return 10n ** BigInt((chain.tokens[this.token]?.decimals ?? 0) - 2);
  }

  /** A client without an answer tries again with the same key. */
  private order(destination: string): Promise<WithdrawalObject> {
    const idempotencyKey = randomUUID();
    return eventually(async () => {
      const api = await this.service.api();
      const { id } = await pocketOn(api, this.network, this.symbol);
      const body = { pocket_id: id, amount_cents: this.amount, destination };
      const answer = await api.post<WithdrawalObject>('/v1/withdrawals', body, { idempotencyKey });
      if (answer.status !== 202) throw new Error(`The withdrawal was not accepted: ${answer.text}`);
      return answer.body;
    }, RECOVERED_WITHIN_MS);
  }

  private untilCompleted(id: string): Promise<WithdrawalObject> {
    return eventually(async () => {
      const { body } = await (await this.service.api()).get<WithdrawalObject>(`/v1/withdrawals/${id}`);
      expect(body.status).toBe('completed');
      return body;
    }, RECOVERED_WITHIN_MS);
  }
}

/** Counts on the chain, independent of our rows. */
async function tokensMinedFor(chain: DevChainControls, destination: string): Promise<string[]> {
  const topics = TRANSFER.encodeFilterTopics('Transfer', [null, destination]);
  const logs = await chain.ask(LOGS, 'eth_getLogs', { topics, fromBlock: '0x0', toBlock: 'latest' });
  return logs.map(({ transactionHash }) => transactionHash);
}

/** The same for coins: every transaction to the destination in the blocks above a height. */
async function coinsMinedFor(chain: DevChainControls, destination: string, above: number): Promise<string[]> {
  const found: string[] = [];
  for (let height = above + 1, head = await chain.height(); height <= head; height += 1) {
    const { transactions } = await chain.ask(BLOCK, 'eth_getBlockByNumber', `0x${height.toString(16)}`, true);
    found.push(...transactions.filter(({ to }) => to === destination.toLowerCase()).map(({ hash }) => hash));
  }
  return found;
}

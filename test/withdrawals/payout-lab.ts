import { z } from 'zod';
import type { Lie } from '../../src/devtools/chaos/fault.js';
import { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { giveTestCoins } from '../../src/devtools/devnet/test-coin.js';
import { HEX_NUMBER } from '../../src/devtools/devnet/dev-rpc.js';
import { mineLeftTransactions } from '../../src/devtools/devnet/left-transactions.js';
import { mintTestTokens, testTokenBalance } from '../../src/devtools/devnet/test-token.js';
import type { WaitingReason } from '../../src/domain/outgoing-payment.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { progressOf, untilRead } from '../chain/watching.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import type { ApiClient } from '../support/api-client.js';
import { BNB_FINALITY, type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { provideUsdcWithBalances } from '../support/usdc-with-balances.js';
import { startWorld, type World } from '../support/world.js';
import { type Arrival, arrivalsAt } from './arrivals.js';
import { type Payout, expectPayoutsInOrder, payoutOf } from './payouts.js';
import { accepted, getWithdrawal, pocketOn, untilEnded } from './withdrawals.js';

const POCKET_CENTS = 1_000_000;
/** Jobs run every second or two, and a slow machine is not a failure. */
const WITHIN_MS = 30_000;
export const COIN = 10n ** 18n;

/**
 * A whole service that pays out on a chain with the id of BNB's test network, through a proxy that may lie. Only the spec
 * mines blocks and fills the hot wallet. One pocket of USDC is full.
 */
export class PayoutLab {
  /** Signed bytes of every transaction that the service sent, in their order. */
  readonly handedOver: string[] = [];
  /** Returns the node's false answer; null = the true one. An exception breaks the connection. */
  lie: Lie | null = null;

  private constructor(
    readonly world: World,
    readonly testnet: BnbTestnet,
    private readonly proxy: FaultProxy,
    readonly usdc: string,
    readonly hotWallet: string,
  ) {
    const falsify: Lie = async (question, truth, node) => {
      if (question.method === 'eth_sendRawTransaction') this.handedOver.push(String(question.params[0]));
      return this.lie === null ? truth : this.lie(question, truth, node);
    };
    proxy.arm([{ name: 'lie', about: 'answers as the spec says', begin: () => ({ kind: 'answer', falsify }) }]);
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<PayoutLab> {
    const testnet = await startBnbTestnet();
    const usdc = testnet.controls.chain.tokens['USDC']?.address ?? '';
    await provideUsdcWithBalances(testnet);
    await testnet.node.mine(BNB_FINALITY);
    const proxy = await FaultProxy.start({ target: { url: testnet.url }, seed: 0 });
    const world = await startWorld({ env: { SANDBOX_BNB_RPC_URL: proxy.url, ...env } });
    const hotWallet = await eventually(async () => {
      const [row] = await query<{ address: string }>(
        world.database,
        `select address from hot_wallet join chain on chain.id = chain_ref where network = 'bnb'`,
      );
      return row?.address;
    });
    await eventually(() => world.service.get(NetworkViews).find('sandbox', 'bnb'));
    const lab = new PayoutLab(world, testnet, proxy, usdc, hotWallet);
    await lab.fillPockets([world.api]);
    return lab;
  }

  /** Where services reach the chain: the proxy that may lie. */
  get nodeUrl(): string {
    return this.proxy.url;
  }

  async close(): Promise<void> {
    this.lie = null;
    try {
      await this.world.stop();
    } finally {
      await this.proxy.stop();
      await this.testnet.stop();
    }
  }

  /** The merchant's pocket of USDC. */
  pocket(): Promise<PocketObject> {
    return pocketOn(this.world.api, 'bnb');
  }

  /** A customer of each merchant pays into its pocket. */
  async fillPockets<Api extends ApiClient>(
    merchants: readonly Api[],
  ): Promise<readonly { readonly api: Api; readonly pocket: PocketObject }[]> {
    const paid = await Promise.all(
      merchants.map(async (api) => {
        const intent = await intentWithAddress(api, { network: 'bnb', amount_cents: POCKET_CENTS });
        const amount = BigInt(intent.crypto_amount ?? 0);
        await this.testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount });
        return { api, intent };
      }),
    );
    await this.makeFinal();
    return Promise.all(
      paid.map(async ({ api, intent }) => {
        await untilStatus(api, intent.id, 'completed');
        return { api, pocket: await pocketOn(api, 'bnb') };
      }),
    );
  }

  /** Funds the hot wallet with coins and tokens (smallest units), and waits until the service has read them as final. */
  async fillHotWallet({ coins = 0n, usdc = 0n }: { coins?: bigint; usdc?: bigint }): Promise<void> {
    if (coins > 0n) await giveTestCoins(this.testnet.url, this.hotWallet, coins);
    if (usdc > 0n) await mintTestTokens(this.testnet.url, this.usdc, this.hotWallet, usdc);
    await this.makeFinal();
    const height = (await progressOf(this.world, 'bnb'))?.finalizedHeight ?? 0;
    await eventually(
      async () => {
        const [row] = await query<{ height: string }>(
          this.world.database,
          `select min(balance.height) as height from hot_balance balance join chain on chain.id = chain_ref
          where network = 'bnb'`,
        );
        return Number(row?.height);
      },
      (seen) => seen >= height,
    );
  }

  /** Creates a withdrawal that must be accepted. */
  async order(destination: string, amountCents = 1_000): Promise<WithdrawalObject> {
    const { id } = await this.pocket();
    return accepted(this.world.api, id, { destination, amount_cents: amountCents });
  }

  get(id: string): Promise<WithdrawalObject> {
    return getWithdrawal(this.world.api, id);
  }

  /** Waits until the vault has signed that many versions of the payment. */
  signed(id: string, attempts = 1): Promise<Payout> {
    return eventually(async () => {
      const payout = await payoutOf(this.world.database, id);
      return payout !== null && payout.attempts.length >= attempts ? payout : null;
    }, WITHIN_MS);
  }

  /** Waits until a node has accepted the payment. */
  sent(id: string, attempts = 1): Promise<Payout> {
    return eventually(async () => {
      const payout = await this.signed(id, attempts);
      const { tx_hash: txHash } = await this.get(id);
      return txHash === payout.attempts.at(-1)?.txHash ? payout : null;
    }, WITHIN_MS);
  }

  /** Waits until the signature is older than a second. */
  async untilOld(id: string): Promise<void> {
    await eventually(
      async () => {
        const rows = await query(
          this.world.database,
          `select from chain_transaction where purpose_id = $1 and created_at < now() - interval '1 second'`,
          [id],
        );
        return rows.length;
      },
      (seen) => seen > 0,
    );
  }

  /** Makes all mined blocks final, and waits until the service has read them. */
  async makeFinal(): Promise<void> {
    await this.testnet.controls.mine(BNB_FINALITY + 1);
    await untilRead(this.world, this.testnet);
  }

  /** Waits until a payment has reached the destination. */
  async arrived({ destination }: Pick<WithdrawalObject, 'destination'>): Promise<void> {
    await eventually(async () => {
      if ((await this.arrivals(destination)).length > 0) return true;
      // Of many that come at once, anvil leaves some in its pool.
      await mineLeftTransactions(this.testnet.url);
      return false;
    }, WITHIN_MS);
  }

  /** Waits until a payment has reached the destination, makes it final, and waits until the withdrawal has ended. */
  async completed(withdrawal: WithdrawalObject): Promise<WithdrawalObject> {
    await this.arrived(withdrawal);
    await this.makeFinal();
    return untilEnded(this.world.api, withdrawal.id, 'completed');
  }

  /** Returns the number of the hot wallet's transactions on the chain. */
  sentByHotWallet(): Promise<number> {
    return this.testnet.node.ask(HEX_NUMBER, 'eth_getTransactionCount', this.hotWallet, 'latest');
  }

  /** Returns the payments that have reached an address, by the token's logs. */
  arrivals(destination: string): Promise<readonly Arrival[]> {
    return arrivalsAt(this.testnet.node, this.usdc, destination);
  }

  /** Returns the token balance of an address, in smallest units. */
  balanceOf(address: string): Promise<bigint> {
    return testTokenBalance(this.testnet.url, this.usdc, address);
  }

  /** Makes the service send every signed transaction once more. */
  async handedOverAgain(): Promise<void> {
    const before = this.handedOver.length;
    await query(this.world.database, `update chain_transaction set due_at = now() where status = 'signed'`);
    await eventually(
      () => this.handedOver.length,
      (seen) => seen > before,
      WITHIN_MS,
    );
  }

  codeOfToken(): Promise<string> {
    return this.testnet.node.ask(z.string(), 'eth_getCode', this.usdc, 'latest');
  }

  /** Waits until the withdrawal waits for this reason. */
  async waits(id: string, reason: WaitingReason): Promise<void> {
    await eventually(
      async () => {
        const [row] = await query<{ waiting_reason: string | null }>(
          this.world.database,
          `select waiting_reason from withdrawal where id = $1`,
          [id],
        );
        return row?.waiting_reason;
      },
      (seen) => seen === reason,
      WITHIN_MS,
    );
  }

  /** Whether blocks come with transactions. */
  async mineByItself(isOn: boolean): Promise<void> {
    await this.testnet.controls.setAutomine(isOn);
  }

  /** Asserts that it was paid once on the chain, as the withdrawal says. */
  async expectArrivedOnce(withdrawal: WithdrawalObject): Promise<void> {
    const { destination, tx_hash: txHash, amount_cents: amountCents } = withdrawal;
    expect(await this.arrivals(destination)).toEqual([{ txHash, amount: (BigInt(amountCents) * COIN) / 100n }]);
  }

  /** Asserts the same, and that one event was sent and the books are in order. */
  async expectPaidOnce(withdrawal: WithdrawalObject): Promise<void> {
    await this.expectArrivedOnce(withdrawal);
    await this.expectBooks();
  }

  async expectBooks(): Promise<void> {
    await expectBooksInOrder(this.world.database);
    await expectPayoutsInOrder(this.world.database);
  }
}

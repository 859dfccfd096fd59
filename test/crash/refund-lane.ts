import { Interface, Wallet } from 'ethers';
import { z } from 'zod';
import { giveTestCoins } from '../../src/devtools/devnet/test-coin.js';
import { mintTestTokens } from '../../src/devtools/devnet/test-token.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import type { ServiceBuild } from '../support/service-build.js';
import type { Exit } from '../support/service-process.js';
import { query } from '../support/sql.js';
import { ServiceLane } from './service-lane.js';

const RECOVERED_WITHIN_MS = 45_000;
const PLENTY = 10n ** 24n;
/** Smallest units of USDT. */
const UNITS = 5_000_000n;
const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const LOGS = z.array(z.object({ transactionHash: z.string() }));

/** The outcome of one refund whose service was killed on the way. */
export interface RefundSurvival {
  readonly exit: Exit;
  /** Hashes of the transactions on the chain that paid the receiver. */
  readonly mined: readonly string[];
  /** By our row. */
  readonly paidBy: string;
  /** Smallest units: the receiver's balance, and the amount of the deposit. */
  readonly arrived: bigint;
  readonly deposited: bigint;
  readonly attempts: number;
}

/** Staff refund wrong payments, over many runs of the service. */
export class RefundLane extends ServiceLane {
  /** Starts a service that dies at the failpoint, and fills its hot wallet. */
  static async open(build: ServiceBuild, network: EvmNetwork, failpoint: string): Promise<RefundLane> {
    const { dir, db } = await ServiceLane.ground();
    const lane = new RefundLane({ build, asset: { network, symbol: 'USDT' } }, dir, db, failpoint);
    return lane.prepare(() => lane.stock());
  }

  /** Refunds one deposit with a service that dies on the way and is started again, to die at `next` then. */
  async survive(next: string | null): Promise<RefundSurvival> {
    const { database } = this.db;
    const chain = await this.service.chain(this.network);
    const exit = this.revived(next);
    const destination = Wallet.createRandom().address;
    const id = await this.order(destination);
    const ended = await exit;
    const paidBy = await eventually(async () => {
      const [row] = await query<{ tx_hash: string }>(
        database,
        `select tx_hash from deposit_return where id = $1 and status = 'completed'`,
        [id],
      );
      return row?.tx_hash;
    }, RECOVERED_WITHIN_MS);
    await expectBooksInOrder(database);
    const topics = TRANSFER.encodeFilterTopics('Transfer', [null, destination]);
    const logs = await chain.ask(LOGS, 'eth_getLogs', { topics, fromBlock: '0x0', toBlock: 'latest' });
    const attempts = await query(
      database,
      `select from transaction_attempt join chain_transaction on id = transaction_id where purpose_id = $1`,
      [id],
    );
    return {
      exit: ended,
      mined: logs.map(({ transactionHash }) => transactionHash),
      paidBy,
      arrived: await chain.balance('USDT', destination),
      deposited: UNITS,
      attempts: attempts.length,
    };
  }

  private async stock(): Promise<void> {
    const { chain } = await this.service.chain(this.network);
    const hotWallet = await this.hotWallet();
    await mintTestTokens(chain.rpcUrl, chain.tokens['USDT']?.address ?? '', hotWallet, PLENTY);
    await giveTestCoins(chain.rpcUrl, hotWallet, PLENTY);
    // The wallet gets no USDC.
    await eventually(
      async () => (await query(this.db.database, `select from hot_balance where amount > 0`)).length,
      (seen) => seen === 2,
    );
  }

  /** Pays USDT for an intent in USDC, which staff refund once it is in suspense. Returns the refund's id. */
  private async order(destination: string): Promise<string> {
    const intent = await intentWithAddress(await this.service.api(), { network: this.network });
    const chain = await this.service.chain(this.network);
    await chain.pay({ to: addressOf(intent), token: 'USDT', amount: UNITS });
    const depositId = await eventually(async () => {
      const [row] = await query<{ id: string }>(
        this.db.database,
        `select id from deposit where to_address = lower($1) and held_as = 'suspense'`,
        [addressOf(intent)],
      );
      return row?.id;
    }, RECOVERED_WITHIN_MS);
    const command = ['deposits', 'resolve', depositId, '--to-address', destination, '--reason', 'a test'];
    // After a vault starts, the transactions of every hot wallet are counted again: until then no refund is accepted.
    return eventually(async () => {
      const { code, out, err } = await runCommand(command, { DATABASE_URL: this.db.url });
      if (err.includes('try again in a minute')) return undefined;
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return /ret_\w+/.exec(out)?.[0];
    }, RECOVERED_WITHIN_MS);
  }
}

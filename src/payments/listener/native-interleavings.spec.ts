import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { freeAddresses } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { aCoinTransaction, type CoinTransaction } from '../../../test/support/memory-chain.js';
import { NATIVE_DEPTH, NativeScene } from '../../../test/support/native-scene.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { ChainUnavailable } from '../../chains/chain.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import type { NativeReading } from './native-read-planner.js';

const SEEDS = Array.from({ length: 10 }, (_, index) => 2_026 + index);
const MOVES = 80;

let db: TestDatabase;
let database: Database;
let log: LogLines;
let recorder: DepositRecorder;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
beforeEach(() => {
  log = new LogLines();
  recorder = new DepositRecorder(database, createLogger('error', { destination: log }));
});
afterAll(() => db.drop());

describe("the books of a chain's own coin", () => {
  it.each(SEEDS)(
    'have every wei once after blocks, contracts, reorgs, lagging nodes and second readings in any order: seed %i [F-64] [F-65] [F-81]',
    async (seed) => {
      const random = new SeededRandom(seed);
      const scene = await NativeScene.set(database, recorder);
      const [stranger = ''] = await freeAddresses(database, 1);
      const run = new RandomRun(scene, random, [scene.address, stranger]);
      for (let move = 0; move < MOVES; move++) await run.move();
      await run.finish();
      // Nothing was logged, since no address ever seemed to hold less than the books say.
      expect(log.lines).toEqual([]);
    },
    30_000,
  );
});

/** Random interleavings of the chain and the service; after each reading the books are checked. */
class RandomRun {
  /** Transactions that a reorg dropped and that may be mined again. */
  private dropped: CoinTransaction[] = [];

  constructor(
    private readonly scene: NativeScene,
    private readonly random: SeededRandom,
    private readonly addresses: readonly string[],
  ) {}

  async move(): Promise<void> {
    const draw = this.random.between(1, 100);
    if (draw <= 40) this.mine();
    else if (draw <= 50) this.reorg();
    else if (draw <= 57) await this.setBack();
    else if (draw <= 64) await this.readTooMuch();
    else await this.read();
  }

  /** Reads all there is, and makes it final. */
  async finish(): Promise<void> {
    const { node } = this.scene;
    node.lag = 0;
    for (let i = 0; i <= NATIVE_DEPTH; i++) node.mine();
    for (let i = 0; i < 5; i++) await this.readAndCheck({ balancesOf: this.addresses });
    for (let i = 0; i <= NATIVE_DEPTH; i++) node.mine();
    await this.readAndCheck({ balancesOf: this.addresses });
    for (const address of this.addresses) {
      expect(await this.scene.booked(address)).toBe(node.balanceOf(address));
      for (const deposit of await this.scene.deposits(address)) {
        expect(deposit).toMatchObject({ status: 'confirmed' });
        expect(node.holds(deposit.block_hash)).toBe(true);
      }
    }
  }

  private mine(): void {
    const { random } = this;
    const again = this.dropped.filter(() => random.chance(0.3));
    this.dropped = this.dropped.filter((transaction) => !again.includes(transaction));
    const some = (): { to: string; amount: bigint }[] =>
      Array.from({ length: random.between(0, 2) }, () => ({
        to: random.pick(this.addresses),
        amount: BigInt(random.between(1, 1_000)),
      }));
    const fresh = some().map(({ to, amount }) => aCoinTransaction(to, amount));
    this.scene.node.mine({ transactions: [...again, ...fresh], inside: some() });
  }

  /** The new branch is longer, as it must be to win. */
  private reorg(): void {
    const { node } = this.scene;
    const depth = this.random.between(0, node.height - node.finalized);
    this.dropped.push(...node.takeBack(depth).flatMap(({ transactions = [] }) => transactions));
    for (let i = 0; i <= depth; i++) this.mine();
  }

  private async setBack(): Promise<void> {
    const { height } = await this.scene.cursor();
    const below = (await this.scene.recordedHeights()).filter((recorded) => recorded < height);
    if (below.length > 0) await this.scene.setBack(this.random.pick(below.slice(-12)));
  }

  private async read(): Promise<void> {
    this.scene.node.lag = this.random.chance(0.2) ? this.random.between(1, 3) : 0;
    await this.readAndCheck({
      transactions: this.random.chance(0.5),
      balancesOf: this.addresses.filter(() => this.random.chance(0.6)),
      quietly: this.random.chance(0.5),
    }).catch(ignoreLagging);
  }

  /**
   * A node reports balances of blocks that it does not show yet; the next reading comes before that can become final.
   */
  private async readTooMuch(): Promise<void> {
    const { node } = this.scene;
    this.mine();
    node.lag = 1;
    node.tellsNewest = true;
    await this.scene.read({ transactions: this.random.chance(0.5), balancesOf: this.addresses }).catch(ignoreLagging);
    node.lag = 0;
    node.tellsNewest = false;
    this.mine();
    await this.readAndCheck({ balancesOf: this.addresses });
  }

  private async readAndCheck(what: Partial<NativeReading> & { readonly quietly?: boolean }): Promise<void> {
    const { height, hash, balancesOf } = await this.scene.read(what);
    for (const address of balancesOf) {
      const deposits = await this.scene.deposits(address);
      // Set back and not yet where it was: the books have payments that are younger than the block.
      if (deposits.some((deposit) => Number(deposit.block_height) > height)) continue;
      expect(await this.scene.booked(address)).toBe(this.scene.node.balanceOf(address, hash));
    }
  }
}

function ignoreLagging(error: unknown): void {
  if (!(error instanceof ChainUnavailable && error.message.includes("node's newest block is older"))) throw error;
}

import { TronClient } from '../../src/chains/tron/tron-client.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { seedOf } from '../../src/vault/derivation.js';
import { ExpiringSweepScene } from './expiring-sweep-scene.js';
import type { SeededChain } from './factories.js';
import { type ExpiringPlace, openedFile, sceneVault } from './scene-vault.js';
import { TronScene } from './tron-scene.js';
import { sendAs, type Staking } from './tron-staking.js';

const TERMS = { prices: { USDC: '1', USDT: '1', TRX: '0.3' }, feeShareBps: 9_000 };
const HOT_TRX = 1_000_000_000n;

/** A sweep and its funding, as specs compare them. */
export interface ShownSweep {
  readonly id: string;
  readonly reason: string;
  readonly waiting_reason: string | null;
  /** Of its transactions, the newest last. */
  readonly status: readonly string[];
  readonly swept: string | null;
  readonly burned: string | null;
  readonly funding: string | null;
  readonly funded: readonly string[];
  /** The stake that was to be lent, and the statuses of its transactions: of the loan, and of its return. */
  readonly loan: string | null;
  readonly lent: readonly string[];
  readonly returned: readonly string[];
}

/** A Tron development chain, its listener, a vault, and the parts of the treasury that sweep. */
export class TronSweepScene extends ExpiringSweepScene<ShownSweep, TronClient> {
  private constructor(
    readonly base: TronScene,
    opened: ExpiringPlace,
    private readonly firstFunds: bigint,
  ) {
    super(opened, new TronClient({ profile: opened.profile, rpcUrl: opened.rpcUrl }), TERMS);
  }

  /** @param stake the sun that the hot wallet has staked for energy, beside `coins` */
  static async open(stake = 0n, coins = HOT_TRX): Promise<TronSweepScene> {
    const [base, opened] = await Promise.all([TronScene.open(), sceneVault()]);
    const { address, path } = await opened.vault.hotWallet('sandbox', 'tron');
    const { db, log, profile, rig } = base;
    const place = { ...opened, db, log, profile, rpcUrl: rig.url, hotWallet: address };
    const scene = new TronSweepScene(base, place, coins + stake);
    await rig.controls.fund(address, null, coins + stake);
    await rig.controls.mine();
    if (stake > 0n) await scene.stake(stake);
    await base.settle();
    // The records of a wallet that is new are complete up to here.
    await scene.query(
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path, chain_nonce, complete_height)
       values ($1, $2, $2, $3, 0, $4)`,
      [scene.chainRef, address, path, stake > 0n ? (await rig.controls.info()).solid : null],
    );
    await scene.provideList();
    base.listen();
    await scene.compare();
    return scene;
  }

  get chainRef(): string {
    return this.base.chain().chainRef;
  }

  /** Stakes coins of the hot wallet for energy, as its owner does who has its key. Returns the transaction's id. */
  stake(frozen: bigint): Promise<string> {
    return this.asWallet({ type: 'FreezeBalanceV2Contract', frozen });
  }

  /** Takes a stake of the hot wallet back in the same way. */
  unstake(unfrozen: bigint): Promise<string> {
    return this.asWallet({ type: 'UnfreezeBalanceV2Contract', unfrozen });
  }

  /** Plans sweeps, as the worker does. Returns those that have not ended. */
  async plan(): Promise<readonly ShownSweep[]> {
    await this.price();
    await this.worker.plan();
    return (await this.sweeps()).filter(({ swept }) => swept === null);
  }

  override async sign(): Promise<void> {
    await this.worker.readBalances();
    await super.sign();
  }

  /** Signs, sends and confirms what is due: fundings, or sweeps that are funded. */
  async step(): Promise<readonly ShownSweep[]> {
    await this.sign();
    await this.send();
    return this.confirm();
  }

  /** Plans, funds and sweeps. */
  async sweep(): Promise<readonly ShownSweep[]> {
    await this.plan();
    await this.step();
    return this.step();
  }

  /** Makes blocks until everything that is signed has expired. */
  async pastExpiry(): Promise<void> {
    await this.base.rig.controls.mine(40);
    await this.settle();
  }

  /** Every sweep, the oldest first. */
  sweeps(): Promise<ShownSweep[]> {
    const statuses = (purpose: string, id: string): string =>
      `array(select status from chain_transaction where purpose = '${purpose}' and purpose_id = ${id} order by nonce)`;
    return this.query(
      `select sweep.id, sweep.reason, sweep.waiting_reason, ${statuses('sweep', 'sweep.id')} as status, item.swept,
              item.burned, funding.amount as funding, ${statuses('funding', 'funding.id')} as funded,
              energy_loan.stake as loan, ${statuses('energy_loan', 'energy_loan.id')} as lent,
              array(select status from chain_transaction join energy_return on energy_return.id = purpose_id
                     where purpose = 'energy_return' and loan_id = energy_loan.id order by nonce) as returned
         from sweep join sweep_item item on item.sweep_id = sweep.id
         left join funding on funding.sweep_id = sweep.id
         left join energy_loan on energy_loan.sweep_id = sweep.id
        order by sweep.created_at, sweep.id`,
    );
  }

  /** What the books say about the TRX of an address. */
  async coinsOf(address: string): Promise<{ readonly received: string; readonly held: string } | undefined> {
    const [row] = await this.query<{ received: string; held: string }>(
      `select received, received + funded - swept - burned as held from deposit_balance
         join pool_address on id = address_id where token_contract = 'native' and address = $1`,
      [address],
    );
    return row;
  }

  /** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
  async expectBooksInOrder(): Promise<void> {
    expect(await this.compare()).toEqual([String(this.firstFunds)]);
    expect(await this.brokenRules()).toEqual([]);
    expect(this.base.log.named('An address holds less than the books say.')).toEqual([]);
  }

  protected get tenant(): Tenant {
    return this.base.tenant;
  }

  /** USDT and TRX. */
  protected get held(): readonly string[] {
    return [this.base.chain('USDT').contract, NATIVE_COIN];
  }

  protected chain(symbol: string): SeededChain {
    return this.base.chain(symbol);
  }

  protected give(address: string, symbol: string, amount: bigint): Promise<string> {
    return this.base.rig.controls.fund(address, tokenOf(symbol), amount);
  }

  protected async makeFinal(): Promise<void> {
    await this.base.settle();
    await this.base.untilRead();
  }

  protected hurry(): void {
    this.base.hurry();
  }

  protected async mine(): Promise<void> {
    await this.base.rig.controls.mine(1);
  }

  protected closeChain(): Promise<void> {
    return this.base.close();
  }

  private async asWallet(staking: Staking): Promise<string> {
    const { sandbox } = await openedFile(this.opened);
    const id = await sendAs(this.base.rig, seedOf(sandbox), staking);
    await this.base.rig.controls.mine();
    return id;
  }
}

const tokenOf = (symbol: string): 'USDT' | 'USDC' | null => (symbol === 'USDT' || symbol === 'USDC' ? symbol : null);

import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aDeposit, aMerchant, anIntent, type SeededChain } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import type { BlockHeader } from '../chains/chain.js';
import { developmentProfile, networkProfile, type TokenProfile } from '../chains/networks.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { Database } from '../platform/database/database.js';
import { moveOpenIntents } from './replaced-chains.js';
import { NetworkViews } from './network-views.service.js';
import {
  type ChainRegistration,
  ChainRegistrationService,
  ForeignChain,
  type RegisteredChain,
} from './chain-registration.service.js';

const CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const OTHER_CONTRACT = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512';
const POLYGON = developmentProfile({ network: 'polygon', chainId: '31337', contracts: { USDC: CONTRACT } });
const USDC: TokenProfile = { symbol: 'USDC', contract: CONTRACT, decimals: 6, minorUnitExponent: 2 };
const POL: TokenProfile = { symbol: 'POL', contract: NATIVE_COIN, decimals: 18, minorUnitExponent: 8 };
const GENESIS = `0xaaaaaaaa${'0'.repeat(56)}`;
const OTHER_GENESIS = `0xbbbbbbbb${'0'.repeat(56)}`;

const block = (height: number): BlockHeader => ({
  height,
  hash: `0xblock${height}`,
  parentHash: `0xblock${height - 1}`,
  time: new Date('2026-01-01T00:00:00Z'),
});

let db: TestDatabase;
let database: Database;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
});
afterEach(() => db.drop());

type Order = Partial<ChainRegistration> & { readonly genesis?: string };

async function register(more: Order = {}): Promise<string> {
  return (await registered(more)).chainRef;
}

function registered({ genesis = GENESIS, ...rest }: Order): Promise<RegisteredChain> {
  return new ChainRegistrationService(database).register({
    profile: { ...POLYGON, tokens: [USDC] },
    identity: { chainId: '31337', genesisHash: genesis },
    start: block(7),
    disabledTokens: new Map(),
    mayReplace: false,
    ...rest,
  });
}

/** The chain with these tokens in the catalogue; what one does not say is USDC's. */
const listing = (...tokens: readonly Partial<TokenProfile>[]): Order => ({
  profile: { ...POLYGON, tokens: tokens.map((token) => ({ ...USDC, ...token })) },
});

const registerListing = (...tokens: readonly Partial<TokenProfile>[]): Promise<string> => register(listing(...tokens));

const tokens = (): Promise<object[]> =>
  query(database, `select contract, symbol, decimals, enabled, disabled_reason from chain_token order by enabled desc`);

const activeChains = (): Promise<{ id: string }[]> => query(database, `select id from chain where active`);

describe('registering a chain', () => {
  it('writes down its identity, its tokens and where reading begins', async () => {
    const chainRef = await register();
    expect(chainRef).toBe('sandbox-polygon-31337-aaaaaaaa');
    expect(await activeChains()).toEqual([{ id: chainRef }]);
    expect(await query(database, `select contract, symbol, decimals, enabled from chain_token`)).toEqual([
      { contract: CONTRACT, symbol: 'USDC', decimals: 6, enabled: true },
    ]);
    expect(await query(database, `select height, hash, finalized_height, epoch from chain_cursor`)).toEqual([
      { height: '7', hash: '0xblock7', finalized_height: '7', epoch: '0' },
    ]);
    expect(await query(database, `select height, parent_hash from chain_block`)).toEqual([
      { height: '7', parent_hash: '0xblock6' },
    ]);
  });

  it('finds it again after a restart, and leaves the cursor where it was', async () => {
    const chainRef = await register();
    await query(database, `update chain_cursor set height = 50, hash = '0xblock50'`);
    expect(await register({ start: block(60), profile: { ...POLYGON, tokens: [USDC], usualFinalityDepth: 5 } })).toBe(
      chainRef,
    );
    expect(await query(database, `select height, hash from chain_cursor`)).toEqual([
      { height: '50', hash: '0xblock50' },
    ]);
    expect(await query(database, `select confirmations from chain`)).toEqual([{ confirmations: 5 }]);
  });

  it('switches a token off whose contract failed the check, and on again when it passes [E-60]', async () => {
    await register({ disabledTokens: new Map([[CONTRACT, 'decimals on chain: 18, listed: 6']]) });
    expect(await tokens()).toMatchObject([{ enabled: false, disabled_reason: 'decimals on chain: 18, listed: 6' }]);
    await register();
    expect(await tokens()).toMatchObject([{ enabled: true, disabled_reason: null }]);
  });

  it.each<[what: string, change: Partial<TokenProfile>, listed: string]>([
    ['decimals', { decimals: 18 }, '18 and 2'],
    ['minor units', { minorUnitExponent: 6 }, '6 and 6'],
  ])('keeps a token off that is listed with other %s than the books count in [E-60]', async (_what, change, listed) => {
    await register();
    await registerListing(change);
    const reason = `registered with 6 decimals and minor unit exponent 2, listed with ${listed}`;
    expect(await tokens()).toMatchObject([{ decimals: 6, enabled: false, disabled_reason: reason }]);
    await register();
    expect(await tokens()).toMatchObject([{ decimals: 6, enabled: true, disabled_reason: null }]);
  });

  it("offers the chain's own coin beside its tokens, and returns what is on offer: nothing that is disabled [E-60]", async () => {
    expect((await registered({ profile: POLYGON })).offered).toEqual([USDC, POL]);
    expect(await tokens()).toEqual(
      expect.arrayContaining([
        { contract: NATIVE_COIN, symbol: 'POL', decimals: 18, enabled: true, disabled_reason: null },
      ]),
    );
    const failed = new Map([[CONTRACT, 'decimals on chain: 18, listed: 6']]);
    expect((await registered({ profile: POLYGON, disabledTokens: failed })).offered).toEqual([POL]);
    // The books count in 6 decimals: a catalogue that counts in 18 must not open pockets of 18.
    expect((await registered(listing({ decimals: 18 }, POL))).offered).toEqual([POL]);
    expect((await registered(listing({}, POL))).offered).toEqual([USDC, POL]);
  });

  it('takes a token off the offer that is no longer listed', async () => {
    await register();
    await registerListing();
    expect(await tokens()).toMatchObject([{ enabled: false, disabled_reason: 'no longer listed' }]);
  });

  it('lets a symbol move to another contract and back: the listed one has the symbol [E-60]', async () => {
    await register();
    for (const [listed, other] of [
      [OTHER_CONTRACT, CONTRACT],
      [CONTRACT, OTHER_CONTRACT],
    ] as const) {
      await registerListing({ contract: listed });
      expect(await tokens()).toMatchObject([
        { contract: listed, symbol: 'USDC', enabled: true },
        { contract: other, symbol: 'USDC', enabled: false, disabled_reason: 'no longer listed' },
      ]);
      const view = await new NetworkViews(database).find('sandbox', 'polygon');
      expect(view?.tokens.map(({ contract }) => contract)).toEqual([listed, other]);
    }
  });

  it('lets two contracts swap their symbols', async () => {
    await registerListing({}, { contract: OTHER_CONTRACT, symbol: 'USDT' });
    await registerListing({ symbol: 'USDT' }, { contract: OTHER_CONTRACT });
    expect(await query(database, `select contract, enabled from chain_token order by symbol`)).toEqual([
      { contract: OTHER_CONTRACT, enabled: true },
      { contract: CONTRACT, enabled: true },
    ]);
  });

  it('is done once, however many processes start at the same time', async () => {
    const refs = await Promise.all(Array.from({ length: 5 }, () => register()));
    expect(new Set(refs).size).toBe(1);
    expect(await activeChains()).toHaveLength(1);
  });
});

describe('a node that serves another chain', () => {
  const seeded = (chainRef: string): SeededChain => ({
    chainRef,
    environment: 'sandbox',
    network: 'polygon',
    ...USDC,
  });

  it('is refused, and the books stay as they are', async () => {
    const chainRef = await register();
    await expect(register({ genesis: OTHER_GENESIS })).rejects.toThrow(ForeignChain);
    expect(await activeChains()).toEqual([{ id: chainRef }]);
  });

  it('is refused when it has another chain id, although it is a development chain', async () => {
    const chainRef = await register();
    const identity = { chainId: '31338', genesisHash: OTHER_GENESIS };
    await expect(register({ identity, mayReplace: true })).rejects.toThrow(ForeignChain);
    expect(await activeChains()).toEqual([{ id: chainRef }]);
  });

  it('is refused on solana in place of the public chain, and replaces a development chain, whose id is its genesis', async () => {
    const solana = (genesis: string): Partial<ChainRegistration> => ({
      profile: developmentProfile({ network: 'solana', chainId: genesis, contracts: {} }),
      identity: { chainId: genesis, genesisHash: genesis },
      mayReplace: true,
    });
    const first = await register(solana('first'));
    const second = await register(solana('second'));
    expect(second).not.toBe(first);
    expect(await activeChains()).toEqual([{ id: second }]);
    const devnet = networkProfile('sandbox', 'solana')?.chainId ?? '';
    await expect(register({ ...solana(devnet), mayReplace: false })).rejects.toThrow(ForeignChain);
    await query(database, `update chain set active = false`);
    const listed = await register({ ...solana(devnet), mayReplace: false });
    await expect(register(solana('third'))).rejects.toThrow(ForeignChain);
    expect(await activeChains()).toEqual([{ id: listed }]);
  });

  it('begins a new epoch when it is a development chain: what was not final is lost with the old one', async () => {
    const chainRef = await register();
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain: seeded(chainRef) });
    const seen = await aDeposit(database, intent, { amount: 1n });
    const final = await aDeposit(database, intent, { amount: 2n, status: 'confirmed' });
    const renewed = await register({ genesis: OTHER_GENESIS, mayReplace: true });
    expect(await activeChains()).toEqual([{ id: renewed }]);
    expect(await query(database, `select id, status from deposit order by amount`)).toEqual([
      { id: seen, status: 'orphaned' },
      { id: final, status: 'confirmed' },
    ]);
    expect(await query(database, `select intent_id from dirty_intent`)).toEqual([{ intent_id: intent.id }]);
  });

  it('moves no intents itself, however many there are: the recurring jobs of the workers do', async () => {
    const chainRef = await register();
    const open = await anIntent(database, { tenant: await aMerchant(database), chain: seeded(chainRef) });
    const renewed = await register({ genesis: OTHER_GENESIS, mayReplace: true });
    const chainOf = () => query(database, `select chain_ref from payment_intent where id = $1`, [open.id]);
    expect(await chainOf()).toEqual([{ chain_ref: chainRef }]);
    await moveOpenIntents(database.em());
    expect(await chainOf()).toEqual([{ chain_ref: renewed }]);
  });

  it('tries intents again that were quarantined, since their facts changed', async () => {
    const chainRef = await register();
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain: seeded(chainRef) });
    await aDeposit(database, intent);
    await query(database, `insert into dirty_intent (intent_id, failures, quarantined_at) values ($1, 5, now())`, [
      intent.id,
    ]);
    await register({ genesis: OTHER_GENESIS, mayReplace: true });
    expect(await query(database, `select intent_id, failures, quarantined_at from dirty_intent`)).toEqual([
      { intent_id: intent.id, failures: 0, quarantined_at: null },
    ]);
  });
});

describe('a development chain that comes back after another one', () => {
  /** Its cursor after another chain was active in between. */
  async function cursorAfterReturn(chainRef: string): Promise<object> {
    await register({ genesis: OTHER_GENESIS, mayReplace: true });
    expect(await register({ mayReplace: true })).toBe(chainRef);
    const [cursor] = await query<object>(
      database,
      `select height, hash, (select max(height) from chain_block where chain_ref = $1) as highest_block
         from chain_cursor where chain_ref = $1`,
      [chainRef],
    );
    return cursor ?? {};
  }

  /** Blocks 8 to 20 are recorded, and those up to `finalizedHeight` are final. */
  async function readTo20(chainRef: string, finalizedHeight: number): Promise<void> {
    await query(
      database,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time)
       select $1, height, '0xblock' || height, '0xblock' || height - 1, now() from generate_series(8, 20) as height`,
      [chainRef],
    );
    await query(
      database,
      `update chain_cursor set height = 20, hash = '0xblock20', head_height = 20, finalized_height = $2
        where chain_ref = $1`,
      [chainRef, finalizedHeight],
    );
  }

  it('is read again from its last final block, since what came later was orphaned', async () => {
    const chainRef = await register();
    await readTo20(chainRef, 17);
    expect(await cursorAfterReturn(chainRef)).toEqual({ height: '17', hash: '0xblock17', highest_block: '17' });
  });

  it('is read on from where it was while its final block is not recorded', async () => {
    const chainRef = await register();
    await readTo20(chainRef, 23);
    expect(await cursorAfterReturn(chainRef)).toEqual({ height: '20', hash: '0xblock20', highest_block: '20' });
  });
});

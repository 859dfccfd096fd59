import { generateKeyPairSigner } from '@solana/kit';
import { FakeNode } from '../../../test/support/fake-node.js';
import { SolanaLab } from '../../../test/support/solana-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { FoundTransaction } from '../accounts.js';
import { ChainUnavailable } from '../chain.js';
import { TOKEN_PROGRAM } from './programs.js';
import { SolanaClient } from './solana-client.js';

const profile = { network: 'solana' } as const;

const transfersIn = (found: FoundTransaction | undefined): unknown =>
  typeof found === 'object' ? found.transfers : found;

describe('the client of Solana, on a chain', () => {
  let lab: SolanaLab;
  let client: SolanaClient;
  let usdc: string;
  beforeAll(async () => {
    lab = await SolanaLab.open();
    client = new SolanaClient({ profile, rpcUrl: lab.chain.url });
    usdc = (await lab.controls.info()).mints['USDC'] ?? '';
    await lab.settle();
  });
  afterAll(async () => {
    await client.close();
    await lab.close();
  });

  const newAddress = async (): Promise<string> => (await generateKeyPairSigner()).address;

  it('names the chain by its genesis, and a block by its slot', async () => {
    expect(await client.identity()).toEqual({ chainId: lab.chain.genesisHash, genesisHash: lab.chain.genesisHash });
    const head = await client.head();
    const before = await client.headerAt(head.height - 1);
    expect(head.parentHash).toBe(before?.hash);
    expect(await client.finalizedHeight()).toBeLessThan(head.height);
    expect(Math.abs(head.time.getTime() - Date.now())).toBeLessThan(60_000);
  });

  it('knows the decimals of a mint, and of nothing else', async () => {
    expect(await client.decimalsOf(usdc)).toBe(6);
    expect(await client.decimalsOf(lab.faucet.address)).toBeNull();
    expect(await client.decimalsOf(await newAddress())).toBeNull();
  });

  it('reads balances of coins and tokens, and none of an account that does not exist', async () => {
    const owner = await newAddress();
    const accounts = await client.accountsOf(owner, [usdc]);
    expect(accounts.map(({ token }) => token)).toEqual([NATIVE_COIN, usdc]);
    expect((await client.balancesOf(accounts, 0)).map(({ units }) => units)).toEqual([0n, 0n]);
    await lab.controls.fund({ owner, token: null, amount: 700_000n });
    await lab.controls.fund({ owner, token: 'USDC', amount: 25n });
    await lab.controls.mine(2);
    const asOf = (await client.head()).height;
    expect(await client.balancesOf(accounts, 0)).toEqual([
      { asOf, units: 700_000n, obstacle: null },
      { asOf, units: 25n, obstacle: null },
    ]);
  });

  it('refuses balances of a node that has not got the block, instead of older ones', async () => {
    const { height } = await client.head();
    const accounts = await client.accountsOf(lab.faucet.address, []);
    await expect(client.balancesOf(accounts, height + 1)).rejects.toThrow(ChainUnavailable);
    const [balance] = await client.balancesOf(accounts, height);
    expect(balance?.asOf).toBeGreaterThanOrEqual(height);
  });

  it('reads the history of an account page by page, with what failed, and the transfers of each transaction', async () => {
    const owner = await newAddress();
    const first = await lab.controls.fund({ owner, token: null, amount: 1_000_000n });
    await lab.controls.mine();
    const second = await lab.land(await lab.signTransfer(owner, 5n));
    await lab.settle();
    const history = await client.historyOf(owner, 0, null);
    expect(history.map(({ txHash, succeeded }) => [txHash, succeeded])).toEqual([
      [second, true],
      [first, true],
    ]);
    expect((await client.historyOf(owner, 0, second)).map(({ txHash }) => txHash)).toEqual([first]);
    const [found, unknown] = await client.transactionsOf([second, first.replace(/.$/, '2')], [usdc]);
    expect(found).toMatchObject({ height: history[0]?.height });
    expect(transfersIn(found)).toEqual([
      {
        account: owner,
        owner,
        position: expect.any(Number),
        token: NATIVE_COIN,
        amount: 5n,
        senders: [lab.faucet.address],
      },
    ]);
    expect(unknown).toBe('absent');
  });

  it.each(['legacy', 0, 1] as const)('reads a transaction of version %s', async (version) => {
    const owner = await newAddress();
    const txHash = await lab.land(await lab.signTransfer(owner, 700_000n, { version }));
    await lab.controls.mine();
    const [found] = await client.transactionsOf([txHash], []);
    expect(transfersIn(found)).toMatchObject([{ account: owner, amount: 700_000n }]);
  });

  it('knows no block at a skipped slot, and says nothing of a slot that is not final or no longer kept', async () => {
    const { height: before } = await client.head();
    const slot = await lab.controls.skip(1);
    await lab.settle();
    await lab.settle();
    const heights = [before, slot - 1, (await client.head()).height];
    const blocks = await client.finalBlocksAt(heights);
    expect(blocks.get(before)?.height).toBe(before);
    expect(blocks.get(slot - 1)).toBeNull();
    expect(blocks.has((await client.head()).height)).toBe(false);
    expect(await client.headersAt([before, slot - 1])).toEqual([blocks.get(before), null]);
    await lab.controls.truncateHistory(before + 1);
    expect((await client.finalBlocksAt([before])).has(before)).toBe(false);
  });
});

describe('the client of Solana, with a node that answers nonsense', () => {
  let node: FakeNode;
  let client: SolanaClient;
  beforeEach(async () => {
    node = await FakeNode.start();
    client = new SolanaClient({ profile, rpcUrl: node.url });
  });
  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  const account = [{ account: '11111111111111111111111111111111', token: NATIVE_COIN }];
  const lamports = (value: unknown) => ({ lamports: value, owner: 'x', data: ['', 'base64'] });

  it.each([
    ['fewer accounts than asked for', { context: { slot: 9 }, value: [] }],
    ['balances of a block before', { context: { slot: 8 }, value: [null] }],
    ['a negative balance', { context: { slot: 9 }, value: [lamports(-1)] }],
    ['a balance that no number holds exactly', { context: { slot: 9 }, value: [lamports(2 ** 53)] }],
    ['a balance that is text', { context: { slot: 9 }, value: [lamports('1')] }],
    ['no context', [null]],
    ['nothing', null],
  ])('%s: credits nothing', async (_what, answer) => {
    node.methods = { getMultipleAccounts: () => answer };
    await expect(client.balancesOf(account, 9)).rejects.toThrow(ChainUnavailable);
  });

  it.each([
    ['another transaction than the one asked for', { signatures: ['other'] }, {}, {}, 'unreadable'],
    ['a transaction of an unknown version', {}, { version: 2 }, {}, 'unreadable'],
    ['a transaction without its balances', {}, {}, { postBalances: [] }, 'unreadable'],
    ['a transaction without its outcome', {}, { meta: null }, {}, 'unreadable'],
    ['a failed transaction', {}, {}, { err: { InstructionError: [0, 'GenericError'] } }, []],
  ])('%s: has no transfers, and hides those of no other', async (_what, changedId, changed, changedMeta, seen) => {
    const meta = { err: null, fee: 0, preBalances: [0], postBalances: [5] };
    const signed = (id: string) => ({ message: { accountKeys: ['a'] }, signatures: [id] });
    const sound = { slot: 1, transaction: signed('sound'), meta };
    const transaction = { ...signed('odd'), ...changedId };
    const odd = { slot: 1, transaction, meta: { ...meta, ...changedMeta }, ...changed };
    node.methods = { getTransaction: (txHash) => (txHash === 'odd' ? odd : sound) };
    const [none, found] = await client.transactionsOf(['odd', 'sound'], []);
    expect(transfersIn(none)).toEqual(seen);
    expect(transfersIn(found)).toEqual([
      { account: 'a', owner: 'a', position: 0, token: NATIVE_COIN, amount: 5n, senders: [] },
    ]);
  });

  it('a token account with more or less data than asked for has no balance, instead of 0', async () => {
    const stored = { lamports: 1, owner: TOKEN_PROGRAM, data: ['AAAA', 'base64'] };
    node.methods = { getMultipleAccounts: () => ({ context: { slot: 9 }, value: [stored] }) };
    const asked = [{ account: 'a', token: 'mint' }];
    await expect(client.balancesOf(asked, 9)).rejects.toThrow('returned 3 bytes of an account instead of 8');
  });

  it('a slot that it calls skipped, while no later block proves it, is unknown', async () => {
    node.methods = {
      getBlock: () => {
        throw new Error('Slot 5 was skipped, or missing due to ledger jump to recent snapshot');
      },
      getBlocksWithLimit: () => [],
    };
    expect((await client.finalBlocksAt([5])).size).toBe(0);
  });

  it('a block without a time says nothing about what was paid before it', async () => {
    const block = { blockhash: 'h', previousBlockhash: 'p', parentSlot: 0, blockTime: null };
    node.methods = { getSlot: () => 1, getBlock: () => block };
    await expect(client.head()).rejects.toThrow('no block with a time');
  });
});

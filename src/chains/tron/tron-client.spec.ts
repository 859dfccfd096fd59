import { TronNodeRig } from '../../../test/support/tron-node-rig.js';
import { documentedAnswers } from '../../../test/support/tron-vectors.js';
import { type CannedAnswer, CannedTron } from '../../../test/support/canned-tron.js';
import { forgedBlock } from '../../../test/support/tron-liar.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable, NATIVE_POSITION, NodeBusy } from '../chain.js';
import { hashOfKey, keyOfHash } from './tron-address.js';
import { TronClient } from './tron-client.js';

const US = keyOfHash('a1'.repeat(20));
const STRANGER = keyOfHash('b2'.repeat(20));
const SOLIDITY_DISTANCE = 2;

const clientOf = (rpcUrl: string): TronClient =>
  new TronClient({ profile: { network: 'tron', tokens: [] }, rpcUrl, timeoutMs: 2_000 });

describe('a client of Tron', () => {
  let rig: TronNodeRig;
  let client: TronClient;

  beforeAll(async () => {
    rig = await TronNodeRig.start();
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE);
    await rig.controls.mine(5);
    client = clientOf(rig.url);
  });
  afterAll(async () => {
    await client.close();
    await rig.remove();
  });

  it('names the chain by the id of block 0', async () => {
    const { genesisId } = await rig.controls.info();
    expect(await client.identity()).toEqual({ chainId: genesisId, genesisHash: genesisId });
  });

  it('returns headers that link by parent hash, and none above the head', async () => {
    const head = await client.head();
    const { head: height, headId } = await rig.controls.info();
    expect(head).toMatchObject({ height, hash: headId });
    const [before, again, above] = await client.headersAt([height - 1, height, height + 1]);
    expect(again).toEqual(head);
    expect(before?.hash).toBe(head.parentHash);
    expect(head.time.getTime()).toBeGreaterThan(before?.time.getTime() ?? Infinity);
    expect(above).toBeNull();
  });

  it('counts as final what the solidity interface has, whatever the distance', async () => {
    const head = await client.head();
    expect(await client.finalizedHeight(head)).toBe(head.height - SOLIDITY_DISTANCE);
    await rig.controls.setSolidityDistance(4);
    await rig.controls.mine(1);
    expect(await client.finalizedHeight(await client.head())).toBe(head.height - SOLIDITY_DISTANCE);
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE);
  });

  it('reads the transfers of exactly one block', async () => {
    const { USDT, USDC } = (await rig.controls.info()).tokens;
    const ids = [
      await rig.controls.fund(US, null, 7n),
      await rig.controls.fund(US, 'USDT', 8n),
      await rig.controls.fund(US, 'USDC', 9n),
      await rig.controls.fund(STRANGER, 'USDT', 10n),
    ];
    await rig.controls.mine(1);
    const block = await client.head();
    const isOurs = (address: string): boolean => address === hashOfKey(US);
    const from = rig.faucet.address;
    const found = await client.sightingsIn(block, [USDT, USDC, NATIVE_COIN], isOurs);
    expect(found).toEqual([
      { txHash: ids[0], position: NATIVE_POSITION, token: NATIVE_COIN, from, to: US, amount: 7n },
      { txHash: ids[1], position: 0, token: USDT, from, to: US, amount: 8n },
      { txHash: ids[2], position: 0, token: USDC, from, to: US, amount: 9n },
    ]);
    expect(await client.sightingsIn(block, [USDC], isOurs)).toEqual(found.slice(2));
    await rig.controls.mine(1);
    expect(await client.sightingsIn(await client.head(), [USDT, NATIVE_COIN], isOurs)).toEqual([]);
    const other = { height: block.height, hash: (await client.head()).hash };
    await expect(client.sightingsIn(other, [USDT], isOurs)).rejects.toThrow('answered block');
    const above = { height: block.height + 10, hash: block.hash };
    await expect(client.sightingsIn(above, [USDT], isOurs)).rejects.toThrow('has no block');
  });

  it('reads balances as of the final block, and zero for an address that was never activated', async () => {
    const late = keyOfHash('c3'.repeat(20));
    await rig.controls.fund(late, null, 11n);
    await rig.controls.mine(1);
    const head = await client.head();
    const before = await client.coinBalances(head, [late, STRANGER]);
    expect(before).toMatchObject({ asOf: { height: head.height - SOLIDITY_DISTANCE }, units: [0n, 0n] });
    await rig.controls.mine(SOLIDITY_DISTANCE);
    const after = await client.coinBalances(head, [late, STRANGER]);
    expect(after).toEqual({ asOf: { height: head.height, hash: head.hash }, units: [11n, 0n] });
  });

  it('returns the decimals of a token, and none where there is no contract', async () => {
    const { tokens } = await rig.controls.info();
    expect(await client.decimalsOf(tokens.USDT)).toBe(6);
    expect(await client.decimalsOf(US)).toBeNull();
    const { contracts } = await rig.controls.info();
    expect(await client.decimalsOf(contracts.PayoutBox)).toBeNull();
  });

  it('knows nothing when the node does not answer', async () => {
    const block = await client.head();
    await rig.controls.failNext('getblockbynum', 'unavailable', 3);
    await expect(client.sightingsIn(block, [NATIVE_COIN], () => true)).rejects.toThrow(ChainUnavailable);
    await rig.controls.failNext('gettransactioninfobyblocknum', 'no_answer', 3);
    await expect(client.sightingsIn(block, [NATIVE_COIN], () => true)).rejects.toThrow(ChainUnavailable);
  });
});

describe('an odd answer', () => {
  const { answer: block } = documentedAnswers()['/wallet/getblock'] ?? { answer: {} };
  const documentedId = '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e';
  const other = forgedBlock(block, () => ({ txTrieRoot: '0'.repeat(64) }));
  let node: CannedTron;
  let client: TronClient;

  beforeAll(async () => {
    node = await CannedTron.start();
    client = clientOf(node.url);
  });
  afterAll(async () => {
    await client.close();
    await node.stop();
  });

  const answering = (path: string, answer: CannedAnswer): void => {
    node.answers = { [path]: answer };
  };

  it('is none: a documented head is read as it is', async () => {
    answering('wallet/getblock', { json: block });
    expect(await client.head()).toMatchObject({ height: 66_987_565, time: new Date(1_777_445_121_000) });
  });

  it.each<[what: string, answer: CannedAnswer]>([
    ['an empty object', { json: {} }],
    ['null', { json: null }],
    ['a list', { json: [] }],
    ['a text', { json: 'block' }],
    ['an id that does not begin with the height', { json: { ...block, blockID: 'ab'.repeat(32) } }],
    ...[{ timestamp: 1_777_445_124_000 }, { parentHash: 'ab'.repeat(32) }, { version: 35 }].map(
      (change): [string, CannedAnswer] => [
        `an id that does not prove its ${Object.keys(change).join()}`,
        { json: { ...forgedBlock(block, () => change), blockID: documentedId } },
      ],
    ),
    ['no header', { json: { ...block, block_header: undefined } }],
    ['an error', { json: { Error: 'class java.lang.NullPointerException : null' } }],
    ['a web page', { body: '<html>Just a moment</html>' }],
    ['nothing', { body: '' }],
    ['half an answer', { body: JSON.stringify(block).slice(0, 90) }],
    ['HTTP 403', { body: 'forbidden', status: 403 }],
    ['HTTP 404', { body: '{}', status: 404 }],
  ])('makes the head unknown: %s', async (_what, answer) => {
    answering('wallet/getblock', answer);
    await expect(client.head()).rejects.toThrow(ChainUnavailable);
  });

  it('with a field of a newer java-tron names it where the id needs it, and is read where not', async () => {
    const newer = forgedBlock(block, () => ({ next_witness: 'ab' }));
    answering('wallet/getblock', { json: { ...newer, blockID: other.blockID } });
    await expect(client.head()).rejects.toThrow(
      'The header of block 66987565 has fields that this version of Coffer does not know: next_witness. Upgrade Coffer.',
    );
    answering('wallet/getblock', { json: newer });
    expect(await client.head()).toMatchObject({ height: 66_987_565, hash: documentedId });
  });

  it('of a node over its own limit asks for a pause', async () => {
    answering('wallet/getblock', {
      json: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' },
    });
    await expect(client.head()).rejects.toThrow(NodeBusy);
    answering('wallet/getblock', { body: '', status: 429, headers: { 'retry-after': '60' } });
    await expect(client.head()).rejects.toThrow(NodeBusy);
  });

  it('of another block than the one asked for is none', async () => {
    answering('wallet/getblock', { json: block });
    await expect(client.headerAt(5)).rejects.toThrow('answered block 5 with block 66987565');
    await expect(client.identity()).rejects.toThrow(ChainUnavailable);
  });

  it('makes nothing final when the final block is on another fork', async () => {
    node.answers = { 'wallet/getblock': { json: block }, 'walletsolidity/getblock': { json: other } };
    const head = await client.head();
    await expect(client.finalizedHeight(head)).rejects.toThrow('is not on its chain');
  });

  it('of an account makes its balance unknown', async () => {
    const solid = { 'walletsolidity/getblock': { json: block } };
    const asked = { height: 1, hash: '' };
    for (const account of [
      { address: `41${'b2'.repeat(20)}`, balance: 5 },
      { address: `41${'a1'.repeat(20)}`, balance: -5 },
      { address: `41${'a1'.repeat(20)}`, balance: '5' },
      { address: `41${'a1'.repeat(20)}`, balance: 2 ** 53 },
      { balance: 5 },
      [],
    ]) {
      node.answers = { ...solid, 'walletsolidity/getaccount': { json: account } };
      await expect(client.coinBalances(asked, [US])).rejects.toThrow(ChainUnavailable);
    }
    node.answers = { ...solid, 'walletsolidity/getaccount': { json: { address: `41${'a1'.repeat(20)}` } } };
    expect((await client.coinBalances(asked, [US])).units).toEqual([0n]);
  });

  it('of a slow node makes each step ask for fewer balances, and a good one for more again', async () => {
    const fresh = clientOf(node.url);
    const most = fresh.balancesPerStep;
    const asked = { height: 1, hash: '' };
    let count = 0;
    const next = (): CannedAnswer => ({
      json: forgedBlock(block, () => ({ txTrieRoot: String(count++).repeat(64) })),
    });
    node.answers = { 'walletsolidity/getblock': next };
    await expect(fresh.coinBalances(asked, [US])).rejects.toThrow('The final block changed');
    expect(fresh.balancesPerStep).toBe(most / 2);
    node.answers = { 'walletsolidity/getblock': { json: block } };
    expect((await fresh.coinBalances(asked, [US])).units).toEqual([0n]);
    expect(fresh.balancesPerStep).toBe(most);
    await fresh.close();
  });

  it('shows the API key to the node and in no message', async () => {
    const keyed = clientOf(node.url.replace('http://', 'http://TRON-PRO-API-KEY:0123-secret@'));
    answering('wallet/getblock', { json: { Error: 'The key 0123-secret is unknown.' } });
    const failure = await keyed.head().catch(String);
    expect(node.asked.at(-1)?.headers['tron-pro-api-key']).toBe('0123-secret');
    expect(failure).toContain('The key *** is unknown.');
    await keyed.close();
  });
});

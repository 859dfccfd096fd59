import { TronNodeRig } from '../../../../../test/support/tron-node-rig.js';
import { shapeErrors, SHAPED_PATHS } from '../../../../../test/support/tron-shapes.js';
import { documentedAnswers, memberPaths } from '../../../../../test/support/tron-vectors.js';
import { parseAddress } from '../address.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const NOBODY = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

let rig: TronNodeRig;
let faucet: string;
let stranger: string;
let usdt: string;
let payment: string;
let tokenPayment: string;
let callOfUsdt: Record<string, unknown>;

const hexOf = (address: string): string => parseAddress(address) ?? '';
const member = (answer: unknown, ...path: string[]): unknown =>
  path.reduce((value, name) => (value as Record<string, unknown>)[name], answer);

beforeAll(async () => {
  rig = await TronNodeRig.start();
  faucet = hexOf(rig.faucet.address);
  stranger = hexOf(STRANGER);
  const { tokens } = await rig.controls.info();
  usdt = hexOf(tokens.USDT);
  payment = await rig.controls.fund(STRANGER, null, 5_000_000n);
  tokenPayment = await rig.controls.fund(STRANGER, 'USDT', 5_000_000n);
  await rig.controls.mine();
  callOfUsdt = {
    owner_address: faucet,
    contract_address: usdt,
    function_selector: 'balanceOf(address)',
    parameter: stranger.slice(2).padStart(64, '0'),
  };
});
afterAll(() => rig.remove());

const blockOfPayment = async (): Promise<number> =>
  Number(member(await rig.ask('/wallet/gettransactioninfobyid', { value: payment }), 'blockNumber'));

/** A request for every path that has a shape. */
const requestFor = async (path: string): Promise<unknown> => {
  const requests: Record<string, unknown> = {
    getaccount: { address: faucet },
    getaccountresource: { address: faucet },
    getblock: { id_or_num: '1', detail: true },
    getblockbynum: { num: await blockOfPayment() },
    gettransactionbyid: { value: tokenPayment },
    gettransactioninfobyid: { value: tokenPayment },
    gettransactioninfobyblocknum: { num: await blockOfPayment() },
    createtransaction: { owner_address: faucet, to_address: stranger, amount: 1 },
    triggersmartcontract: { ...callOfUsdt, function_selector: 'transfer(address,uint256)', fee_limit: 1_000_000 },
    triggerconstantcontract: callOfUsdt,
    getcontract: { value: usdt },
    freezebalancev2: { owner_address: faucet, frozen_balance: 1_000_000, resource: 'ENERGY' },
    getcandelegatedmaxsize: { owner_address: faucet, type: 1 },
    getdelegatedresourcev2: { fromAddress: faucet, toAddress: stranger },
    delegateresource: { owner_address: faucet, receiver_address: stranger, balance: 1_000_000, resource: 'ENERGY' },
    undelegateresource: { owner_address: faucet, receiver_address: stranger, balance: 1_000_000, resource: 'ENERGY' },
  };
  return requests[path.split('/').at(-1) ?? ''] ?? {};
};

/** Stakes and delegates, so that there is something of everything. */
async function stakeAndDelegate(): Promise<void> {
  const send = async (call: string, body: unknown): Promise<void> => {
    await rig.send((await rig.ask(`/wallet/${call}`, body)) as Parameters<typeof rig.send>[0]);
    await rig.controls.mine();
  };
  await send('freezebalancev2', { owner_address: faucet, frozen_balance: 5_000_000, resource: 'ENERGY' });
  await send('delegateresource', {
    owner_address: faucet,
    receiver_address: stranger,
    balance: 2_000_000,
    resource: 'ENERGY',
  });
}

describe('answers of the node', () => {
  beforeAll(stakeAndDelegate);

  it.each(SHAPED_PATHS.filter((path) => !path.endsWith('frompending')))(
    'of %s have the documented shape, on the solid interface too where it has the call',
    async (path) => {
      const request = await requestFor(path);
      const answer = await rig.ask(path, request);
      expect(Object.keys(answer as object)).not.toEqual([]);
      expect(answer).not.toHaveProperty('Error');
      expect(shapeErrors(path, answer)).toEqual([]);
      const solid = await fetch(`${rig.url}${path.replace('/wallet/', '/walletsolidity/')}`, {
        method: 'POST',
        body: JSON.stringify(request),
      });
      if (solid.status === 200) expect(shapeErrors(path, await solid.json())).toEqual([]);
    },
  );

  it.each([
    ['/wallet/createtransaction', () => ({ owner_address: faucet, to_address: stranger, amount: 1_000_000 })],
    ['/wallet/createaccount', () => ({ owner_address: faucet, account_address: hexOf(NOBODY) })],
    ['/wallet/freezebalancev2', () => ({ owner_address: faucet, frozen_balance: 1_000_000_000, resource: 'ENERGY' })],
    ['/wallet/triggerconstantcontract', () => callOfUsdt],
    [
      '/wallet/triggersmartcontract',
      () => ({ ...callOfUsdt, function_selector: 'transfer(address,uint256)', fee_limit: 100_000_000 }),
    ],
    ['/wallet/validateaddress', () => ({ address: faucet })],
    ['/wallet/estimateenergy', () => callOfUsdt],
    ['/wallet/getblock', () => ({ id_or_num: '2', detail: false })],
  ] as const)('of %s have the members of the documented answer', async (path, request) => {
    expect(memberPaths(await rig.ask(path, request()))).toEqual(memberPaths(documentedAnswers()[path]?.answer));
  });

  it('are the same by block and by id', async () => {
    const num = await blockOfPayment();
    const infos = (await rig.ask('/wallet/gettransactioninfobyblocknum', { num })) as unknown[];
    expect(infos).toHaveLength(2);
    expect(infos[0]).toEqual(await rig.ask('/wallet/gettransactioninfobyid', { value: payment }));
    const block = await rig.ask('/wallet/getblockbynum', { num });
    expect((member(block, 'transactions') as { txID: string }[]).map(({ txID }) => txID)).toEqual([
      payment,
      tokenPayment,
    ]);
    expect(await rig.ask('/wallet/getblockbyid', { value: member(block, 'blockID') })).toEqual(block);
  });

  it('show addresses as base58 and messages as text when they are to be visible', async () => {
    const account = await rig.ask('/wallet/getaccount', { address: STRANGER, visible: true });
    expect(account).toMatchObject({ address: STRANGER, owner_permission: { keys: [{ address: STRANGER }] } });
    const info = await rig.ask('/wallet/gettransactioninfobyid', { value: tokenPayment, visible: true });
    const { tokens } = await rig.controls.info();
    expect(info).toMatchObject({ contract_address: tokens.USDT, log: [{ address: tokens.USDT }] });
    const refused = await rig.ask('/wallet/broadcasttransaction', { raw_data: {}, visible: true });
    expect(refused).toMatchObject({ message: 'Contract validate error : No contract!' });
  });

  it('have balances as whole numbers, also beyond 32 bits', async () => {
    expect(member(await rig.ask('/wallet/getaccount', { address: faucet }), 'balance')).toBeGreaterThan(9e14);
  });

  it.each([
    ['a block that does not exist', '/wallet/getblockbynum', { num: 999_999 }, {}],
    ['a block id that does not exist', '/wallet/getblockbyid', { value: 'ab'.repeat(32) }, {}],
    ['a transaction that does not exist', '/wallet/gettransactionbyid', { value: 'ab'.repeat(32) }, {}],
    ['an info that does not exist', '/wallet/gettransactioninfobyid', { value: 'ab'.repeat(32) }, {}],
    ['infos of a block that does not exist', '/wallet/gettransactioninfobyblocknum', { num: 999_999 }, []],
    ['infos of a block without transactions', '/wallet/gettransactioninfobyblocknum', { num: 1 }, []],
    ['infos of block 0', '/wallet/gettransactioninfobyblocknum', { num: 0 }, {}],
    ['an account that was never activated', '/wallet/getaccount', { address: NOBODY, visible: true }, {}],
    ['its resources', '/wallet/getaccountresource', { address: NOBODY, visible: true }, {}],
    ['a contract that does not exist', '/wallet/getcontract', { value: NOBODY, visible: true }, {}],
    [
      'a delegation that does not exist',
      '/wallet/getdelegatedresourcev2',
      { fromAddress: `41${'00'.repeat(20)}`, toAddress: `41${'00'.repeat(20)}` },
      {},
    ],
    ['more than 100 blocks', '/wallet/getblockbylimitnext', { startNum: 1, endNum: 102 }, {}],
  ])('for %s are empty', async (_what, path, request, expected) => {
    expect(await rig.ask(path, request)).toEqual(expected);
  });

  it.each([
    [
      '/wallet/getaccount',
      { address: 'xyz' },
      'class org.tron.core.services.http.JsonFormat$ParseException : INVALID hex String',
    ],
    [
      '/wallet/getaccount',
      { address: 'T0', visible: true },
      'class org.tron.core.services.http.JsonFormat$ParseException : INVALID base58 String',
    ],
    [
      '/wallet/getblock',
      { id_or_num: '-1' },
      'class java.lang.IllegalArgumentException : num must be non-positive number.',
    ],
    [
      '/wallet/getblock',
      { id_or_num: 'abc' },
      'class java.lang.IllegalArgumentException : id must be legal block hash.',
    ],
    [
      '/wallet/createtransaction',
      { owner_address: `41${'01'.repeat(20)}`, to_address: `41${'02'.repeat(20)}`, amount: 1 },
      'class org.tron.core.exception.ContractValidateException : Validate TransferContract error, no OwnerAccount.',
    ],
  ])('of %s say what is wrong, as java-tron does', async (path, request, message) => {
    expect(String(member(await rig.ask(path, request), 'Error'))).toContain(message);
  });

  it.each([
    [
      'without an owner',
      { owner_address: undefined },
      'OTHER_ERROR',
      "InvalidParameterException : owner_address isn't set.",
    ],
    ['without a contract', { contract_address: undefined }, 'OTHER_ERROR', "contract_address isn't set."],
    ['of no address', { contract_address: '4100' }, 'OTHER_ERROR', 'JsonFormat$ParseException'],
    ['of an account', { contract_address: `41${'01'.repeat(20)}` }, 'CONTRACT_VALIDATE_ERROR', 'No contract'],
  ])('of a call %s have the error in their result', async (_what, change, code, message) => {
    for (const path of ['/wallet/triggerconstantcontract', '/wallet/triggersmartcontract', '/wallet/estimateenergy']) {
      const answer = await rig.ask(path, { ...callOfUsdt, ...change });
      expect(member(answer, 'result', 'code')).toBe(code);
      expect(Buffer.from(String(member(answer, 'result', 'message')), 'hex').toString()).toContain(message);
    }
  });

  it('of a call that reverts are accepted with the reason, and say so', async () => {
    const call = {
      ...callOfUsdt,
      function_selector: 'transferFrom(address,address,uint256)',
      parameter: '01'.padStart(64, '0').repeat(3),
    };
    expect(await rig.ask('/wallet/triggerconstantcontract', call)).toMatchObject({
      result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') },
      transaction: { ret: [{ ret: 'FAILED' }] },
    });
    expect(await rig.ask('/wallet/estimateenergy', call)).toMatchObject({ result: { code: 'CONTRACT_EXE_ERROR' } });
  });

  it('list blocks from the first to before the last, and the newest first', async () => {
    const numbers = (answer: unknown): unknown[] =>
      (member(answer, 'block') as unknown[]).map((block) => member(block, 'block_header', 'raw_data', 'number'));
    expect(numbers(await rig.ask('/wallet/getblockbylimitnext', { startNum: 1, endNum: 3 }))).toEqual([1, 2]);
    const head = Number(member(await rig.ask('/wallet/getnowblock'), 'block_header', 'raw_data', 'number'));
    expect(numbers(await rig.ask('/wallet/getblockbylatestnum', { num: 2 }))).toEqual([head, head - 1]);
  });

  it('can be asked by GET, with the parameters in the query', async () => {
    const got = await fetch(`${rig.url}/wallet/getblockbynum?num=2&visible=true`);
    expect(await got.json()).toEqual(await rig.ask('/wallet/getblockbynum', { num: 2, visible: true }));
  });
});

describe('the two interfaces', () => {
  it('differ until a block is solid: the solid one answers blocks, balances and contracts as of its block', async () => {
    const id = await rig.controls.fund(NOBODY, null, 2_000_000n);
    const tokens = await rig.controls.fund(NOBODY, 'USDC', 3_000_000n);
    const balance = {
      ...callOfUsdt,
      contract_address: hexOf((await rig.controls.info()).tokens.USDC),
      parameter: hexOf(NOBODY).slice(2).padStart(64, '0'),
    };
    const look = async (name: string) => ({
      account: member(await rig.ask(`/${name}/getaccount`, { address: hexOf(NOBODY) }), 'balance'),
      transaction: member(await rig.ask(`/${name}/gettransactionbyid`, { value: id }), 'txID'),
      info: member(await rig.ask(`/${name}/gettransactioninfobyid`, { value: tokens }), 'id'),
      tokens: Number(
        `0x${String((member(await rig.ask(`/${name}/triggerconstantcontract`, balance), 'constant_result') as string[])[0])}`,
      ),
    });
    const nothing = { account: undefined, transaction: undefined, info: undefined, tokens: 0 };
    expect(await look('wallet')).toEqual({ account: 2_000_000, transaction: id, info: undefined, tokens: 3_000_000 });
    expect(await look('walletsolidity')).toEqual(nothing);
    await rig.controls.mine(19);
    const everything = { account: 2_000_000, transaction: id, info: tokens, tokens: 3_000_000 };
    expect(await look('wallet')).toEqual(everything);
    expect(await look('walletsolidity')).toEqual(nothing);
    await rig.controls.mine();
    expect(await look('walletsolidity')).toEqual(everything);
  });

  it('share the calls that real nodes have on both', async () => {
    for (const call of ['broadcasttransaction', 'createtransaction', 'getchainparameters', 'getaccountresource']) {
      expect((await fetch(`${rig.url}/walletsolidity/${call}`, { method: 'POST', body: '{}' })).status).toBe(404);
    }
    expect((await fetch(`${rig.url}/wallet/getaccountbalance`, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});

import { TronScene } from '../../../test/support/tron-scene.js';

const TRX = 1_000_000n;

let scene: TronScene;
beforeEach(async () => {
  scene = await TronScene.open();
  await scene.db.query(
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, $2, $2, 'm/1')`,
    [scene.chain().chainRef, scene.rig.faucet.address],
  );
});
afterEach(() => scene.close());

/** The fundings that blocks have shown, by their amounts. */
const seen = async (): Promise<string[]> =>
  (await scene.db.query<{ amount: string }>(`select amount from seen_funding order by amount`)).map(
    ({ amount }) => amount,
  );

/** Lets a few more blocks become final, each of which shows all balances. */
async function settleLong(): Promise<void> {
  for (let block = 0; block < 8; block++) {
    await scene.rig.controls.mine(1);
    await scene.untilRead();
  }
}

/** Records the signed transaction of a withdrawal, as the vault does before it is sent. */
async function recordWithdrawal(txHash: string, to: string, amount: bigint): Promise<void> {
  const { chainRef } = scene.chain();
  await scene.db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status, cost_max, valid_after_height, valid_after_hash, valid_until)
     values ('ctx_1', $1, 'withdrawal', 'wd_1', $2, 0, $3, $4, '', 1, 'native', $4, 'signed', 1, 1, 'hash', 1)`,
    [chainRef, scene.rig.faucet.address, to, amount],
  );
  await scene.db.query(
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, sole_on) values ('ctx_1', 1, $1, '00', 1, 1, $2)`,
    [txHash, chainRef],
  );
}

describe('TRX that the hot wallet sends to a deposit address', () => {
  it.each(['USDT', 'TRX'] as const)(
    'are no deposit of an intent in %s, seen or final, and no remainder',
    async (symbol) => {
      const intent = await scene.intent(symbol);
      scene.listen();
      await scene.rig.controls.fund(intent.address, null, 14n * TRX);
      await scene.rig.controls.mine(1);
      await scene.untilRead();
      expect(await scene.deposits()).toEqual([]);
      await settleLong();
      expect(await scene.deposits()).toEqual([]);
      expect(await seen()).toEqual(['14000000']);
    },
  );

  it('leave what a contract pays to the same address a deposit of exactly that amount', async () => {
    const intent = await scene.intent('TRX');
    scene.listen();
    await scene.rig.controls.fund(intent.address, null, 14n * TRX);
    await scene.payThroughContract(intent.address, 5n * TRX);
    await settleLong();
    await scene.payThroughContract(intent.address, 2n * TRX);
    await scene.rig.controls.fund(intent.address, null, 3n * TRX);
    await settleLong();
    const deposits = await scene.deposits();
    expect(deposits.map(({ amount, status }) => [amount, status])).toEqual([
      ['5000000', 'confirmed'],
      ['2000000', 'confirmed'],
    ]);
    expect(scene.log.named('An address holds less than the books say.')).toEqual([]);
  });

  it('are no deposit for a listener that was down meanwhile', async () => {
    const intent = await scene.intent('TRX');
    await scene.rig.controls.fund(intent.address, null, 14n * TRX);
    await scene.settle();
    scene.listen();
    await scene.untilRead();
    await settleLong();
    expect(await scene.deposits()).toEqual([]);
  });

  it('follow a fork: one that vanishes is forgotten, and one that comes back counts once', async () => {
    const intent = await scene.intent('TRX');
    scene.listen();
    await scene.rig.controls.fund(intent.address, null, 14n * TRX);
    await scene.rig.controls.mine(1);
    await scene.untilRead();
    expect(await seen()).toEqual(['14000000']);
    await scene.rig.controls.fork(1, 'return');
    await scene.rig.controls.miss(1);
    await scene.rig.controls.mine(1);
    await scene.untilRead();
    await scene.rig.controls.fund(intent.address, null, 3n * TRX);
    await scene.rig.controls.mine(1);
    await scene.untilRead();
    expect(await seen()).toEqual(['3000000', '14000000']);
    await scene.rig.controls.fork(1, 'vanish');
    await scene.rig.controls.miss(1);
    await settleLong();
    expect(await seen()).toEqual(['14000000']);
    expect(await scene.deposits()).toEqual([]);
    expect(scene.log.named('An address holds less than the books say.')).toEqual([]);
  });

  it('do not hide a payment of somebody else in the same block', async () => {
    const intent = await scene.intent('TRX');
    scene.listen();
    await scene.rig.controls.fund(intent.address, null, 14n * TRX);
    await scene.payThroughContract(intent.address, 14n * TRX);
    await settleLong();
    expect(await scene.deposits()).toMatchObject([{ amount: '14000000', tx_hash: null, status: 'confirmed' }]);
  });

  it('are a deposit when they are a withdrawal to that address', async () => {
    const intent = await scene.intent('TRX');
    scene.listen();
    const txHash = await scene.rig.controls.fund(intent.address, null, 25n * TRX);
    await recordWithdrawal(txHash, intent.address, 25n * TRX);
    await scene.rig.controls.fund(intent.address, null, 3n * TRX);
    await settleLong();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: txHash, amount: '25000000', status: 'confirmed' }]);
    expect(await seen()).toEqual(['3000000']);
  });
});

import { listAddress } from '../../../test/support/listed-address.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { untilOneWaitsForALock } from '../../../test/support/waiting-for-lock.js';
import { payoutOf } from '../../../test/withdrawals/payouts.js';

it('an address that is listed while the signer waits for the rules of the merchant is not paid [I-120]', async () => {
  const scene = await PayoutScene.open();
  try {
    const { database } = scene;
    const chain = await scene.addChain('polygon');
    const { merchantId, environment } = await scene.merchant();
    const destination = `0x${'5b'.repeat(20)}`;
    const { id } = await scene.order({ merchantId, environment }, { chain, destination });
    const policy = `insert into withdrawal_policy (merchant_id, environment) values ($1, $2)`;
    await scene.query(policy, [merchantId, environment]);
    let signing: Promise<unknown> = Promise.resolve();
    await database.transaction(async (staff) => {
      await query(staff, `select from withdrawal_policy where merchant_id = $1 for update`, [merchantId]);
      signing = scene.signer.sign(scene.vault, id);
      await untilOneWaitsForALock(database);
      await listAddress(database, destination);
    });
    await signing;
    expect(await payoutOf(database, id)).toBeNull();
    expect(await scene.query(`select status, failure_code from withdrawal where id = $1`, [id])).toEqual([
      { status: 'failed', failure_code: 'address_blocked' },
    ]);
  } finally {
    await scene.close();
  }
});

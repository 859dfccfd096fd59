import type { SeededChain } from '../../test/support/factories.js';
import { PayoutScene } from '../../test/support/payout-scene.js';
import { RecordingQueue } from '../../test/support/recording-queue.js';
import { aPlannedSweep } from '../../test/support/sweep-scene.js';
import { vaultDuties } from '../../test/support/vault-duties.js';

const SWEEP_TERMS = ['id', 'chain_ref', 'reason', 'delegate', 'batch', 'created_at'] as const;
const ITEM_TERMS = ['position', 'token_contract', 'expected', 'authorization_nonce'] as const;
const OTHER: Readonly<Record<string, string>> = {
  position: '99',
  expected: 'expected + 1',
  authorization_nonce: '99',
  created_at: `now() + interval '1 day'`,
};

let scene: PayoutScene;
let chain: SeededChain;
let id: string;

beforeAll(async () => {
  scene = await PayoutScene.open();
  ({ chain } = scene);
  ({ id } = await aPlannedSweep(scene, chain));
  await vaultDuties(scene.database, new RecordingQueue().queue).sweeps.sign(scene.vault, 'sweep', id);
});
afterAll(() => scene.close());

const query = (text: string) => scene.database.query(text.replaceAll('$id', `'${id}'`));

describe('the database refuses, whoever asks', () => {
  it.each(SWEEP_TERMS)('another %s of a sweep', async (term) => {
    await expect(query(`update sweep set ${term} = ${OTHER[term] ?? `'other'`} where id = $id`)).rejects.toThrow(
      'keeps its terms',
    );
  });

  it.each(ITEM_TERMS)('another %s of an item', async (term) => {
    const change = `${term} = ${OTHER[term] ?? `'other'`}`;
    await expect(query(`update sweep_item set ${change} where sweep_id = $id and position = 0`)).rejects.toThrow(
      'keeps its terms',
    );
  });

  it.each([
    ['to forget a sweep', `delete from sweep where id = $id`],
    ['to forget an item', `delete from sweep_item where sweep_id = $id`],
    ['to forget a balance', `delete from deposit_balance where sweep_id = $id`],
    ['to forget everything', `truncate sweep cascade`],
    ['to end a sweep that may still be mined', `update sweep set finished_at = now() where id = $id`],
    ['to sweep what nothing moved', `update sweep_item set swept = 1, swept_height = 1 where sweep_id = $id`],
    ['less than was received', `update deposit_balance set received = received - 1 where sweep_id = $id`],
    ['less than was swept', `update deposit_balance set swept = swept - 1 where sweep_id = $id`],
    [
      'to sweep one balance twice at once',
      `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected)
       select sweep_id, 9, chain_ref, token_contract, address_id, expected from sweep_item
        where sweep_id = $id and position = 0`,
    ],
    [
      'a sweep that pays',
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status)
       select 'ctx_x', chain_ref, 'sweep', 'swp_x', '0x', 99, '0x', 0, '0x', 1, '0x', 1, 'signed' from sweep where id = $id`,
    ],
  ])('%s', async (_what, statement) => {
    await expect(query(statement)).rejects.toThrow();
  });
});

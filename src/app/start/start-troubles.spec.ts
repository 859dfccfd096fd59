import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { CannedTron } from '../../../test/support/canned-tron.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { parseConfig } from '../../platform/config.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { attentionLines } from './attention.js';
import { troublesAtStart } from './start-troubles.js';

const API_KEY = 'q5w6e7r8t9z0u1i2o3';
const DEPLOYED = {
  DATABASE_URL: 'postgres://db/coffer',
  SECRETS_KEY: 'a'.repeat(64),
  ROLES: 'listener',
};

describe('the problems after the start', () => {
  it('names only the node that does not answer, with its variable and without its key', async () => {
    const node = await FakeNode.start({ eth_chainId: () => '0x1' });
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const config = parseConfig({
      ...DEPLOYED,
      LIVE_POLYGON_RPC_URL: `${node.url},http://user:${API_KEY}@127.0.0.1:${port}/v2/${API_KEY}`,
    });
    const troubles = await troublesAtStart(config, new VaultState());
    await node.stop();
    expect(troubles).toHaveLength(1);
    expect(troubles[0]?.what).toContain('polygon (LIVE_POLYGON_RPC_URL) cannot be reached');
    expect(troubles[0]?.what).toContain(`http://127.0.0.1:${port}`);
    expect(JSON.stringify(troubles)).not.toContain(API_KEY);
  });

  it('asks a node of tron for both of its interfaces', async () => {
    const node = await CannedTron.start();
    const config = parseConfig({ ...DEPLOYED, LIVE_TRON_RPC_URL: node.url });
    expect(await troublesAtStart(config, new VaultState())).toEqual([]);
    expect(node.asked.map(({ path }) => path)).toEqual(['wallet/getblock', 'walletsolidity/getblock']);
    node.answers = { 'walletsolidity/getblock': { body: '', status: 404 } };
    expect(await troublesAtStart(config, new VaultState())).toMatchObject([
      { what: expect.stringContaining('tron (LIVE_TRON_RPC_URL) cannot be reached') },
    ]);
    await node.stop();
  });

  it('queries no node in a process that reads no chain: the vault has no network access', async () => {
    const config = parseConfig({ ...DEPLOYED, ROLES: 'vault', LIVE_POLYGON_RPC_URL: 'http://127.0.0.1:9' });
    expect(await troublesAtStart(config, new VaultState())).toEqual([]);
  });

  it('shows a sealed vault in a frame, with the cause and what to do', async () => {
    const vault = new VaultState();
    vault.sealedBecause = 'VAULT_PASSPHRASE is not set.';
    const lines = attentionLines(await troublesAtStart(parseConfig({ ...DEPLOYED, ROLES: 'vault' }), vault));
    expect(lines[0]).toMatch(/^!{60,}$/);
    expect(lines[1]).toBe('ATTENTION: THE VAULT IS SEALED. VAULT_PASSPHRASE is not set.');
    expect(lines.join('\n')).toContain('npx coffer vault status');
    expect(lines.at(-1)).toBe(lines[0]);
  });
});

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../test/support/cli-run.js';
import { writeSandboxFile } from '../../app/start/first-run.js';

const ORDER = { amount_decimal: '12.5', token: 'USDC', network: 'polygon', to: '0xc1' };

describe('pay', () => {
  let dir: string;
  let server: Server;
  let seen: { url: string | undefined; key: string | undefined; body: unknown };

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coffer-pay-'));
    server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () => {
        seen = { url: req.url, key: req.headers.authorization, body: JSON.parse(body) };
        res.writeHead(202).end(JSON.stringify(ORDER));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await rm(dir, { recursive: true });
  });

  async function describeSandbox(): Promise<void> {
    const address = server.address();
    const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    await writeSandboxFile(dir, {
      apiUrl,
      apiKey: 'sk_sb_1',
      merchantId: 'mer_1',
      chains: [],
      pockets: {},
      admin: { email: 'admin@localhost', password: null },
    });
  }

  it('orders the payment with the key of the running sandbox', async () => {
    await describeSandbox();
    expect(await runCommand(['pay', 'pi_1', '--amount', '12.5', '--token', 'USDC'], { DATA_DIR: dir })).toEqual({
      code: 0,
      out: 'Paying 12.5 USDC on polygon to 0xc1.\n',
      err: '',
    });
    expect(seen).toEqual({
      url: '/v1/sandbox/payment-intents/pi_1/pay',
      key: 'Bearer sk_sb_1',
      body: { amount: '12.5', token: 'USDC' },
    });
  });

  it('leaves amount and token to the service when they are not given', async () => {
    await describeSandbox();
    expect((await runCommand(['pay', 'pi_1'], { DATA_DIR: dir })).code).toBe(0);
    expect(seen.body).toEqual({});
  });

  it('says that no sandbox has started, or that its file was damaged', async () => {
    const none = await runCommand(['pay', 'pi_1'], { DATA_DIR: dir });
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No sandbox has started on this DATA_DIR.') });
    await writeFile(join(dir, 'sandbox.json'), '{"api_url":1}');
    const damaged = await runCommand(['pay', 'pi_1'], { DATA_DIR: dir });
    expect(damaged).toMatchObject({ code: 1, err: expect.stringContaining('is damaged or of another version.') });
  });
});

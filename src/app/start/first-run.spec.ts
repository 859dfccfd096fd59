import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { readSandbox } from '../../cli/sandbox-file.js';
import { newApiKey } from '../../domain/api-key.js';
import { dataFilesOf } from './data-files.js';
import { firstRunBanner, type FirstRunInfo, writeSandboxFile } from './first-run.js';

const KEY = newApiKey('sandbox');
const PASSWORD = 'x7Qm2Lk9TzWc4Rv1Np8s';

const CHAIN = {
  network: 'polygon',
  rpcUrl: 'http://127.0.0.1:8546',
  chainId: 31_338,
  coin: { symbol: 'POL', decimals: 18 },
  tokens: { USDC: { address: '0x00000000000000000000000000000000000000aa', decimals: 6 } },
  faucet: { address: '0x00000000000000000000000000000000000000bb', privateKey: `0x${'1'.repeat(64)}` },
} as const;

describe('the first run', () => {
  let dir: string;
  let info: FirstRunInfo;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "coffer first-run's "));
    info = {
      version: '1.2.3',
      readyMs: 4_321,
      apiUrl: 'http://127.0.0.1:3000',
      apiKey: KEY,
      merchantId: 'mer_1',
      isNewKey: true,
      isNewAdmin: true,
      admin: { email: 'admin@localhost', password: PASSWORD },
      dataDir: dir,
      databasePort: 54_329,
      chains: [CHAIN, { ...CHAIN, network: 'bnb', chainId: 31_339 }],
      pockets: { polygon: { USDC: 'pkt_1' } },
      listeners: { polygon: 'ok' },
      troubles: [],
    };
  });

  afterEach(() => rm(dir, { recursive: true }));

  describe('writeSandboxFile', () => {
    it('writes what clients of the sandbox rely on, in the documented shape', async () => {
      const path = await writeSandboxFile(dir, { ...info, chains: [CHAIN] });
      expect(path).toBe(join(dir, 'sandbox.json'));
      const written: unknown = JSON.parse(await readFile(path, 'utf8'));
      expect(written).toEqual({
        api_url: 'http://127.0.0.1:3000',
        api_key: KEY,
        merchant_id: 'mer_1',
        admin: { url: 'http://127.0.0.1:3000/admin', email: 'admin@localhost', password: PASSWORD },
        networks: {
          polygon: {
            rpc_url: CHAIN.rpcUrl,
            chain_id: 31_338,
            tokens: { USDC: CHAIN.tokens.USDC, POL: { address: null, decimals: 18 } },
            faucet: { address: CHAIN.faucet.address, private_key: CHAIN.faucet.privateKey },
            pockets: { USDC: 'pkt_1' },
          },
        },
      });
      expect(await readSandbox(dir)).toEqual(written);
    });

    it('makes the file readable only by its owner, also when it replaces one, and leaves no draft behind', async () => {
      await writeSandboxFile(dir, info);
      const path = await writeSandboxFile(dir, { ...info, merchantId: 'mer_2' });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readFile(path, 'utf8')).toContain('mer_2');
      expect(await readdir(dir)).toEqual(['sandbox.json']);
    });
  });

  describe('firstRunBanner', () => {
    it('lists the addresses of all parts', () => {
      const banner = firstRunBanner(info);
      for (const text of [
        'Coffer 1.2.3 · sandbox · ready in 4.3 s',
        'http://127.0.0.1:3000/v1',
        'http://127.0.0.1:3000/docs',
        'http://127.0.0.1:3000/admin',
        'polygon  http://127.0.0.1:8546',
        'chain 31338, test USDC, POL, listener ok',
        'chain 31339, test USDC, POL, listener unknown',
        'embedded, port 54329',
        'npm run demo',
        'Ctrl+C stops everything',
      ]) {
        expect(banner).toContain(text);
      }
      expect(firstRunBanner({ ...info, databasePort: null })).toContain('PostgreSQL   of DATABASE_URL');
      expect(firstRunBanner({ ...info, readyMs: null })).toContain('Coffer 1.2.3 · sandbox · NOT READY, see Health');
    });

    it('shows a new key once, and afterwards only the path of its file', () => {
      expect(firstRunBanner(info).split(KEY)).toHaveLength(2);
      const later = firstRunBanner({ ...info, isNewKey: false });
      expect(later).not.toContain(KEY);
      expect(later).toContain(`sk_sb_…${KEY.slice(-4)}`);
      expect(later).toContain(join(dir, 'sandbox.json'));
      expect(later).not.toContain(CHAIN.faucet.privateKey);
    });

    it("shows the administrator's new password once, and afterwards only the path of its file", () => {
      expect(firstRunBanner(info).split(PASSWORD)).toHaveLength(2);
      const later = firstRunBanner({ ...info, isNewAdmin: false });
      expect(later).not.toContain(PASSWORD);
      expect(later).toContain(`admin@localhost, password in ${join(dir, 'sandbox.json')}`);
      const changed = firstRunBanner({ ...info, admin: { email: 'admin@localhost', password: null } });
      expect(changed).toContain('admin@localhost, with the password that you have set');
    });

    it('ends with the problems, in a frame', () => {
      const what = 'THE VAULT IS SEALED. VAULT_PASSPHRASE is not set.';
      expect(firstRunBanner(info)).not.toContain('ATTENTION');
      const banner = firstRunBanner({ ...info, troubles: [{ what, advice: ['Set it.'] }] });
      expect(banner.trimEnd().split('\n').slice(-4)).toEqual([
        expect.stringMatching(/^ {2}!{60,}$/),
        `  ATTENTION: ${what}`,
        '    Set it.',
        expect.stringMatching(/^ {2}!{60,}$/),
      ]);
    });

    it.each([54_329, null])(
      'shows commands that empty the sandbox and keep the vault and its passphrase (database port %s)',
      async (databasePort) => {
        const { postgres, devnet, sandbox, ...kept } = dataFilesOf(dir);
        await Promise.all([postgres, devnet].map((path) => mkdir(path)));
        await Promise.all([sandbox, ...Object.values(kept)].map((path) => writeFile(path, '')));
        const banner = firstRunBanner({ ...info, databasePort });
        const lines = banner.split('\n').filter((line) => /^\s*rm /.test(line));
        expect(lines).toHaveLength(1);
        await promisify(execFile)('sh', ['-e', '-c', lines.join('\n')]);
        const left = [...Object.values(kept), ...(databasePort === null ? [postgres] : [])];
        expect((await readdir(dir)).toSorted()).toEqual(left.map((path) => basename(path)).toSorted());
        expect(banner.includes('set DATABASE_URL to an empty database')).toBe(databasePort === null);
      },
    );

    it('shows commands that work when they are pasted into a shell', async () => {
      await writeSandboxFile(dir, info);
      const seen: {
        method?: string | undefined;
        url?: string | undefined;
        headers: IncomingHttpHeaders;
        body: string;
      }[] = [];
      const server = createServer((req, res) => {
        let body = '';
        req.on('data', (chunk: Buffer) => (body += chunk.toString()));
        req.on('end', () => {
          seen.push({ method: req.method, url: req.url, headers: req.headers, body });
          const id = req.url === '/v1/withdrawals' ? 'wd_01abc' : 'pi_01abc';
          res.end(JSON.stringify({ id, status: 'requires_action' }));
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;

      const banner = firstRunBanner({ ...info, apiUrl: `http://127.0.0.1:${port}` });
      const tour = banner.slice(banner.indexOf('API=')).split('\n\n')[0] ?? '';
      const { stdout } = await promisify(execFile)('sh', ['-e', '-c', tour.replaceAll(/sleep \d+/g, ':')]);
      server.close();

      expect(stdout).toContain('pi_01abc\n');
      expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /v1/payment-intents',
        'POST /v1/payment-intents/pi_01abc/generate-address',
        'POST /v1/sandbox/payment-intents/pi_01abc/pay',
        'GET /v1/payment-intents/pi_01abc',
        'POST /v1/withdrawals',
        'GET /v1/withdrawals/wd_01abc',
      ]);
      expect(seen.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
      expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
      expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ amount_cents: 2500, network: 'polygon', token: 'USDC' });
      expect(JSON.parse(seen[4]?.body ?? '')).toMatchObject({ pocket_id: 'pkt_1', amount_cents: 1000 });
    });
  });
});

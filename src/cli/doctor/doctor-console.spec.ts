import { parseConfig } from '../../platform/config.js';
import { checkConsole } from './doctor-console.js';

const levelAt = (variables: Readonly<Record<string, string>>) => {
  const { level, detail, fix } = checkConsole(parseConfig({ ROLES: 'listener', ...variables }));
  return { level, text: `${detail} ${fix}` };
};
const DEPLOYED = { DATABASE_URL: 'postgres://localhost/coffer' };
const LIVE = { ...DEPLOYED, LIVE_POLYGON_RPC_URL: 'https://a.example' };

describe('the check of the console', () => {
  it.each<[what: string, variables: Readonly<Record<string, string>>, level: string]>([
    ['the sandbox of one machine', {}, 'ok'],
    ['https', { ...LIVE, BASE_URL: 'https://pay.example.com' }, 'ok'],
    ['an address of this machine', { ...LIVE, BASE_URL: 'http://127.0.0.1:3000' }, 'ok'],
    ['no address', LIVE, 'warn'],
    ['http with test money alone', { ...DEPLOYED, BASE_URL: 'http://pay.example.com' }, 'warn'],
    ['http with real money', { ...LIVE, BASE_URL: 'http://pay.example.com' }, 'fail'],
  ])('of %s finds %s', (_what, variables, level) => {
    const found = levelAt(variables);
    expect(found.level).toBe(level);
    if (level !== 'ok') expect(found.text).toContain('set BASE_URL to the https address');
  });
});

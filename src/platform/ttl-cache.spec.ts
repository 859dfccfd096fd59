import { TtlCache } from './ttl-cache.js';

const HOUR_MS = 3_600_000;

const away = (): never => {
  throw new Error('away');
};

describe('A TTL cache', () => {
  it('loads once while many callers wait, and caches the result', async () => {
    let loads = 0;
    const cache = new TtlCache(HOUR_MS, 10, (key) => Promise.resolve(`${key} ${++loads}`));
    expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b')])).toEqual(['a 1', 'a 1', 'b 2']);
    expect(await cache.get('a')).toBe('a 1');
  });

  it('drops expired results', async () => {
    let loads = 0;
    const cache = new TtlCache(0, 10, () => Promise.resolve(++loads));
    expect([await cache.get('a'), await cache.get('a')]).toEqual([1, 2]);
  });

  it('caches neither null nor a failure', async () => {
    const results = [() => null, away, () => 'found'];
    const cache = new TtlCache(HOUR_MS, 10, async () => results.shift()?.() ?? null);
    expect(await cache.get('a')).toBeNull();
    await expect(cache.get('a')).rejects.toThrow('away');
    expect([await cache.get('a'), await cache.get('a')]).toEqual(['found', 'found']);
  });

  it('drops the oldest when it is full', async () => {
    let loads = 0;
    const cache = new TtlCache(HOUR_MS, 2, () => Promise.resolve(++loads));
    for (const key of ['a', 'b', 'c']) await cache.get(key);
    expect(await cache.get('b')).toBe(2);
    expect(await cache.get('a')).toBe(4);
  });
});

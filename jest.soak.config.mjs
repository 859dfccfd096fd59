import tests, { COMMON } from './jest.config.mjs';

const SOAK = { ...COMMON, testRunner: '<rootDir>/test/jest/shared-process.mjs' };

/**
 * What takes minutes (`npm run soak`). `long`: the tests beside those of `npm test` that prove the same for another
 * failpoint, network or page, and long lives of a service. `fleet`: up to eight processes for each file, which are killed,
 * starved and cut off; its files run one after the other.
 */
export default {
  ...tests,
  projects: [
    {
      ...SOAK,
      displayName: 'long',
      testMatch: ['<rootDir>/test/**/*.soak-spec.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/soak/'],
    },
    { ...SOAK, displayName: 'fleet', testMatch: ['<rootDir>/test/soak/*.soak-spec.ts'] },
  ],
};

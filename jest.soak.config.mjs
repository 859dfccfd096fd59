import tests, { COMMON } from './jest.config.mjs';

/** What takes minutes: a fleet that is killed, starved and cut off, and services that live through it (`npm run soak`). */
export default {
  ...tests,
  projects: [
    {
      ...COMMON,
      displayName: 'soak',
      testMatch: ['<rootDir>/test/soak/**/*.soak-spec.ts'],
      testRunner: '<rootDir>/test/jest/shared-process.mjs',
    },
  ],
  // Each file has up to eight processes of its own.
  maxWorkers: 1,
};

import { roundAddresses } from './round-size.js';

it.each([
  [null, 300],
  [1, 100],
  [10, 166],
  [50, 833],
  [200, 3_333],
  [600, 10_000],
  [10_000, 10_000],
])('a step of a node that answers %s requests a second reads %i addresses of the round', (requestsPerSecond, count) => {
  expect(roundAddresses({ requestsPerSecond, accountsPerRequest: 100 })).toBe(count);
});

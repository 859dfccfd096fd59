import { assertStrongPassword } from './password-rules.js';

const refusal = (password: string): Promise<unknown> =>
  assertStrongPassword(password, 'kim.lee@example.com', 'password').then(
    () => null,
    (error: unknown) => error,
  );

describe('a new password', () => {
  it.each([
    'correct horse battery',
    'Žluťoučký kůň pěl',
    '9-8-7-6-5-4-3-2',
    // Common ones inside of a longer text.
    'sunshine behind dragons',
    '8391047562z!',
    '👩‍🚀 over the 🌍 at nine',
  ])('may be %j', async (password) => {
    expect(await refusal(password)).toBeNull();
  });

  it.each([
    ['aaaaaaaaaaaaaaaa', 'repeats too few characters'],
    ['abababABABab', 'repeats too few characters'],
    ['Kim.Lee@example.com!', 'the e-mail address'],
    ['kim.lee-kim.lee', 'the e-mail address'],
    ['My-COFFER-2026', '"coffer", the name of this service'],
    ['1qaz2wsx3edc', 'one of the most used'],
    ['Administrator', 'one of the most used'],
    ['LEAVEMEALONE', 'one of the most used'],
    ['Sunshine-2026!', 'one of the most used'],
    ['!!!Password1234', 'one of the most used'],
    ['P@ssw0rd2026!', 'one of the most used'],
    ['PasswordPassword', 'one of the most used'],
    ['...dragonDragonDRAGON9', 'one of the most used'],
  ])('may not be %j [M-166]', async (password, reason) => {
    expect(await refusal(password)).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(reason),
      details: { param: 'password' },
    });
  });
});

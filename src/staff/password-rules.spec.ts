import { assertStrongPassword } from './password-rules.js';

const refusal = (password: string): unknown => {
  try {
    assertStrongPassword(password, 'kim.lee@example.com', 'password');
    return null;
  } catch (error) {
    return error;
  }
};

describe('a new password', () => {
  it.each(['correct horse battery', 'Žluťoučký kůň pěl', '9-8-7-6-5-4-3-2'])('may be %j', (password) => {
    expect(refusal(password)).toBeNull();
  });

  it.each(['aaaaaaaaaaaaaaaa', 'abababABABab', 'Kim.Lee@example.com!', 'kim.lee-kim.lee'])(
    'may not be %j',
    (password) => {
      expect(refusal(password)).toMatchObject({ code: 'invalid_request', details: { param: 'password' } });
    },
  );
});

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { asApiError } from '../api/api-error.ts';
import { answerOf, api } from '../api/client.ts';
import { FormError } from './form-error.tsx';
import type { Session } from './session.ts';
import { useSubmit } from './use-submit.ts';

type Step = 'password' | 'code' | 'recovery';

interface SignInFormProps {
  /** The account, when it is known, as after the end of a session. */
  readonly email?: string;
  readonly onSignedIn: (session: Session) => void;
}

/** Password first; then a code of the authenticator app or a recovery code, for accounts that have them. */
export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const [step, setStep] = useState<Step>('password');
  const [known, setKnown] = useState({ email: email ?? '', password: '' });
  const { isSending, error, onSubmit } = useSubmit(async (fields) => {
    const given = { ...known, ...fields };
    setKnown({ email: given.email, password: given.password });
    try {
      onSignedIn(await answerOf(api.POST('/admin/api/session', { body: given })));
    } catch (thrown) {
      if (step !== 'password' || asApiError(thrown).code !== 'code_required') throw thrown;
      setStep('code');
    }
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <FormError error={error} />
        {step === 'password' ? (
          <PasswordFields known={known} isEmailFixed={email !== undefined} />
        ) : (
          <CodeField step={step} key={step} />
        )}
        <Button type="submit" loading={isSending} fullWidth>
          {step === 'password' ? 'Sign in' : 'Verify'}
        </Button>
        {step !== 'password' && (
          <Button variant="subtle" size="xs" onClick={() => setStep(step === 'code' ? 'recovery' : 'code')}>
            {step === 'code' ? 'Use a recovery code' : 'Use a code of the app'}
          </Button>
        )}
      </Stack>
    </form>
  );
}

interface PasswordFieldsProps {
  readonly known: { readonly email: string; readonly password: string };
  readonly isEmailFixed: boolean;
}

function PasswordFields({ known, isEmailFixed }: PasswordFieldsProps) {
  return (
    <>
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        autoComplete="username"
        defaultValue={known.email}
        readOnly={isEmailFixed}
        required
        autoFocus={!isEmailFixed}
        data-autofocus={!isEmailFixed || undefined}
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        defaultValue={known.password}
        required
        autoFocus={isEmailFixed}
        data-autofocus={isEmailFixed || undefined}
      />
    </>
  );
}

function CodeField({ step }: { readonly step: 'code' | 'recovery' }) {
  return step === 'code' ? (
    <TextInput
      name="code"
      label="Code of your authenticator app"
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9 ]*"
      maxLength={7}
      required
      autoFocus
    />
  ) : (
    <TextInput
      name="recovery_code"
      label="Recovery code"
      description="Each works once."
      autoComplete="off"
      spellCheck={false}
      required
      autoFocus
    />
  );
}

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { answerOf, api } from '../api/client.ts';
import { FormError } from './form-error.tsx';
import type { Session } from './session.ts';
import { useSubmit } from './use-submit.ts';

interface StepUpFormProps {
  /** Whether the account has sign-in codes: then a code is the proof, else the password. */
  readonly byCode: boolean;
  readonly onProven: (session: Session) => void;
}

/** Asks for the second factor once more, or for the password where there is none. */
export function StepUpForm({ byCode, onProven }: StepUpFormProps) {
  const { isSending, error, onSubmit } = useSubmit(async (fields) => {
    onProven(await answerOf(api.POST('/admin/api/session/step-up', { body: fields })));
  });
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <FormError error={error} />
        {byCode ? (
          <TextInput
            name="code"
            label="Code of your authenticator app"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            required
            data-autofocus
          />
        ) : (
          <PasswordInput name="password" label="Password" autoComplete="current-password" required data-autofocus />
        )}
        <Button type="submit" loading={isSending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}

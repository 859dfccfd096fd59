import { Modal, Text } from '@mantine/core';
import type { Question } from '../api/proof.ts';
import { queryClient } from '../app/query-client.ts';
import { type Session, sessionQuery } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { StepUpForm } from './step-up-form.tsx';

interface DialogProps {
  readonly question: Question;
  readonly session: Session;
}

/** Asks for a new sign-in, or for a fresh proof of identity. The page beneath stays as it is. */
export function ProofDialog({ question: { proof, answer }, session }: DialogProps) {
  const enter = (next: Session): void => {
    queryClient.setQueryData(sessionQuery.queryKey, next);
    // What is on the page belongs to the other account.
    if (next.staff.id !== session.staff.id) window.location.reload();
    else answer(true);
  };
  return (
    <Modal
      opened
      onClose={() => answer(false)}
      title={proof === 'sign-in' ? 'Your session has ended' : 'Confirm that it is you'}
      closeOnClickOutside={false}
    >
      <Text mb="md">
        {proof === 'sign-in'
          ? 'Sign in again to go on. Nothing on this page is lost.'
          : 'This action needs a proof that is not older than 5 minutes.'}
      </Text>
      {proof === 'sign-in' ? (
        <SignInForm email={session.staff.email} onSignedIn={enter} />
      ) : (
        <StepUpForm byCode={session.staff.totp_enabled} onProven={enter} />
      )}
    </Modal>
  );
}

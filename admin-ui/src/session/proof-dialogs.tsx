import { Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onQuestion, type Question } from '../api/proof.ts';
import { queryClient } from '../app/query-client.ts';
import { type Session, sessionQuery } from './session.ts';
import { SignInForm } from './sign-in-form.tsx';
import { StepUpForm } from './step-up-form.tsx';

/**
 * The dialogs in which a request waits: for a new sign-in when the session has ended, or for a fresh proof before a
 * dangerous action. The page beneath stays as it is.
 */
export function ProofDialogs() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onQuestion(setQuestion), []);
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  if (question === null || session === undefined || session === null) return null;
  const { proof, answer } = question;
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

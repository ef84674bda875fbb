import {
  login as loginEndpoint,
  me,
  updatePreferences,
  type Preferences,
  type SessionUser,
} from '@roastery/contract/auth';
import {
  createContext,
  startTransition,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
} from 'react';
import { ApiError, sentenceFor, sentenceOfCode } from './api-error.ts';
import { beginSession, call, currentPerson, onSignedOut, sessionNumber, setCurrentPerson } from './call.ts';
import { heldForm } from './held-forms.ts';
import { forgetFilesOfOthers } from './kept-files.ts';
import { continuePush, endOwnPush } from './own-push.ts';
import { reachability, subscribeReachability } from './reachability.ts';
import { forgetPagesOfOthers } from './recent-pages.ts';
import { isSignOutOwed, onSignedOutElsewhere, sendSignOut, settleSignOut } from './sign-out.ts';
import { forgetAll, forgetKeptAnswers, isReadEarly, readAllAgain } from './answers.ts';
import { useInOrder } from './use-api.ts';
import { t } from '../language/t.ts';

export interface Session {
  user: SessionUser | null;
  isAuthenticated: boolean;
  isAdmin: boolean;
  /** The session is being checked, or a sign-in is under way. */
  isLoading: boolean;
  /** True until the first check of the session is answered. */
  isChecking: boolean;
  /** Why the last sign-in failed, or why one is required. */
  error: string | null;
  /** True once signed in; on failure `error` has the reason. */
  login: (credentials: { email: string; password: string }) => Promise<boolean>;
  /** The session is over, but a form on screen has unsaved input: sign in over it. */
  hasEnded: boolean;
  /** The same user continues on the page; another user starts from the beginning. True once signed in. */
  signInAgain: (credentials: { email: string; password: string }) => Promise<boolean>;
  /** Always ends signed out here, even if the call fails. */
  logout: () => Promise<void>;
  /** Takes effect at once and is stored with the account. */
  changePreferences: (change: Partial<Preferences>) => Promise<void>;
  /** Reads the session again: the roastery's time zone or the person's own rights have changed. */
  recheck: () => Promise<void>;
}

interface State {
  user: SessionUser | null;
  isChecking: boolean;
  isLoading: boolean;
  hasEnded: boolean;
  error: string | null;
}

const SessionContext = createContext<Session | null>(null);
const signedOut: State = { user: null, isChecking: false, isLoading: false, hasEnded: false, error: null };
const signedIn = (user: SessionUser): State => ({ ...signedOut, user });

/** What this browser keeps of people other than the one who signs in; of everyone at a sign-out. */
const forgetOthers = (userId: string | undefined): void => {
  forgetFilesOfOthers(userId);
  forgetPagesOfOthers(userId);
};

let firstCheck: Promise<SessionUser> | undefined;

/** The session of this browser, after a sign-out that is owed. */
const checkSession = (): Promise<SessionUser> =>
  // The first request of a page, before those that its code begins early.
  isSignOutOwed() ? sendSignOut().then(() => call(me, {})) : call(me, {});

/** Begins the check of the session that `SessionProvider` waits for. */
export const beginSessionCheck = (): void => {
  firstCheck = checkSession();
  // SessionProvider handles the failure.
  firstCheck.catch(() => undefined);
};

type SetState = Dispatch<SetStateAction<State>>;
type Credentials = Parameters<Session['login']>[0];

/** Checks the session, and again when the server is back; ends it with an answer that ends it, or in another tab. */
const useSessionCheck = (setState: SetState): void =>
  useEffect(() => {
    let abandoned = false;
    let unanswered = false;
    const check = async () => {
      const askedIn = sessionNumber();
      const answer = firstCheck ?? checkSession();
      firstCheck = undefined;
      const next = await answer.then(signedIn, (error: unknown) => {
        unanswered = error instanceof ApiError && error.code === 'unreachable';
        return signedOut;
      });
      if (abandoned || askedIn !== sessionNumber()) return;
      // Rendered in slices, between which touches are handled; at once where the first page should appear as soon as
      // possible.
      if (isReadEarly()) setState(next);
      else startTransition(() => setState(next));
    };
    void check();
    const unsubscribe = onSignedOut(() => {
      if (heldForm() !== undefined) {
        setState((current) => (current.user === null ? current : { ...current, hasEnded: true }));
        return;
      }
      setState((current) => (current.user === null ? current : { ...signedOut, error: sentenceOfCode.not_signed_in }));
      // Without a person a page reads only what is meant for everyone, such as the wall by its link: that goes on.
      void (currentPerson() === null ? forgetKeptAnswers() : forgetAll());
    });
    // An unreachable server signs no user out: check again when it is back.
    const stopWaiting = subscribeReachability(() => {
      if (!reachability().reachable || !(unanswered || isSignOutOwed())) return;
      unanswered = false;
      void check();
    });
    const stopListening = onSignedOutElsewhere(() => {
      setState(signedOut);
      void forgetAll();
    });
    return () => {
      abandoned = true;
      stopWaiting();
      stopListening();
      unsubscribe();
    };
  }, [setState]);

/** Signs in. Whoever was signed in before leaves nothing to another person. */
const begin = async (credentials: Credentials, before: string | undefined): Promise<SessionUser> => {
  const { user } = await call(loginEndpoint, { body: credentials });
  beginSession();
  forgetOthers(user.id);
  if (user.id !== before) await forgetAll();
  void continuePush(user.id);
  return user;
};

/** Sign-in, sign-in over a form, and sign-out. */
const useSigning = (setState: SetState, userId: string | undefined) => {
  const login = useCallback<Session['login']>(
    async (credentials) => {
      setState({ ...signedOut, isLoading: true });
      try {
        await settleSignOut();
        setState(signedIn(await begin(credentials, undefined)));
        return true;
      } catch (error) {
        setState({ ...signedOut, error: sentenceFor(error, t`Login failed`) });
        return false;
      }
    },
    [setState],
  );
  const signInAgain = useCallback<Session['signInAgain']>(
    async (credentials) => {
      try {
        const user = await begin(credentials, userId);
        setState(signedIn(user));
        if (user.id === userId) void readAllAgain();
        return true;
      } catch (error) {
        setState((current) => ({ ...current, error: sentenceFor(error, t`Login failed`) }));
        return false;
      }
    },
    [setState, userId],
  );
  const logout = useCallback<Session['logout']>(async () => {
    try {
      await sendSignOut();
    } finally {
      setState(signedOut);
      forgetOthers(undefined);
      await Promise.all([forgetAll(), endOwnPush()]);
    }
  }, [setState]);
  return { login, signInAgain, logout };
};

const withPreferences = (state: State, change: Partial<Preferences>): State =>
  state.user === null
    ? state
    : { ...state, user: { ...state.user, preferences: { ...state.user.preferences, ...change } } };

const useChangePreferences = (setState: SetState): Session['changePreferences'] => {
  const { inOrder } = useInOrder();
  const last = useRef(0);
  return useCallback(
    async (change) => {
      setState((current) => withPreferences(current, change));
      last.current += 1;
      const place = last.current;
      const stored = await inOrder(() => call(updatePreferences, { body: change }));
      // An earlier answer would revert a later choice on screen.
      if (place === last.current) setState((current) => withPreferences(current, stored));
    },
    [setState, inOrder],
  );
};

export const SessionProvider = ({ children }: { children: ReactNode }) => {
  const [state, setState] = useState<State>({ ...signedOut, isChecking: true, isLoading: true });
  const userId = state.user?.id;
  useSessionCheck(setState);
  useEffect(() => setCurrentPerson(userId ?? null), [userId]);
  const { login, signInAgain, logout } = useSigning(setState, userId);
  const changePreferences = useChangePreferences(setState);
  const recheck = useCallback<Session['recheck']>(async () => {
    const user = await call(me, {});
    setState((current) => (current.user === null ? current : { ...current, user }));
  }, []);
  const session = useMemo<Session>(
    () => ({
      ...state,
      isAuthenticated: state.user !== null,
      isAdmin: state.user?.is_admin ?? false,
      login,
      signInAgain,
      logout,
      changePreferences,
      recheck,
    }),
    [state, login, signInAgain, logout, changePreferences, recheck],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
};

export const useSession = (): Session => {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession outside of SessionProvider');
  return session;
};

/** The signed-in person; only below the routes that require a sign-in. */
export const useUser = (): SessionUser => {
  const { user } = useSession();
  if (user === null) throw new Error('useUser while signed out');
  return user;
};

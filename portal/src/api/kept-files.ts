/**
 * Chosen files of an import that are not sent yet, in the browser's own storage: after a reload or a crash of the page
 * sending continues. An archive is stored as it was chosen until its parts are. Files are removed when they are sent,
 * with their import, at sign-out, and when another person signs in.
 */
export interface KeptFile {
  readonly name: string;
  readonly content: Blob;
  /** Undefined if the browser has no room or no storage. */
  readonly key?: IDBValidKey | undefined;
}

export interface FilesOwner {
  readonly userId: string;
  readonly importId: string;
}

const databaseName = 'roastery-files';
const storeName = 'files';
const indexName = 'by import';
/** The owner of the files, so that a sign-in need not open the database. */
const personKey = 'roastery:files-of';

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser’s storage failed')));
  });

const openFiles = async (): Promise<IDBDatabase> => {
  const request = indexedDB.open(databaseName, 1);
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(storeName, { autoIncrement: true }).createIndex(indexName, ['userId', 'importId']);
  });
  const database = await resultOf(request);
  // Another tab signs out.
  database.addEventListener('versionchange', () => database.close());
  return database;
};

/** One transaction. `work` awaits nothing but its requests. */
const inStore = async <T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> => {
  const database = await openFiles();
  try {
    const transaction = database.transaction(storeName, mode);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve());
      // A full disk or quota is reported at the end.
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('nothing was stored')));
    });
    const [result] = await Promise.all([work(transaction.objectStore(storeName)), ended]);
    return result;
  } finally {
    database.close();
  }
};

const keysIn = (store: IDBObjectStore, { userId, importId }: FilesOwner): Promise<IDBValidKey[]> =>
  resultOf(store.index(indexName).getAllKeys([userId, importId]));

const add = (store: IDBObjectStore, owner: FilesOwner, files: readonly KeptFile[]): Promise<KeptFile[]> =>
  Promise.all(
    files.map(async ({ name, content }) => ({
      name,
      content,
      key: await resultOf(store.add({ ...owner, name, content })),
    })),
  );

/**
 * Stores all of them, or none.
 * @throws if the browser has no room or no storage
 */
export const keepFiles = async (owner: FilesOwner, files: readonly KeptFile[]): Promise<KeptFile[]> => {
  localStorage.setItem(personKey, owner.userId);
  return inStore('readwrite', (store) => add(store, owner, files));
};

/** Replaces an archive by its files: all of them, or the archive stays. */
export const replaceKeptFile = (owner: FilesOwner, key: IDBValidKey, files: readonly KeptFile[]): Promise<KeptFile[]> =>
  inStore('readwrite', async (store) => {
    const kept = add(store, owner, files);
    store.delete(key);
    return kept;
  });

/** The unsent files, in the order in which they were chosen; none if the browser has no storage. */
export const keptFilesOf = async (owner: FilesOwner): Promise<KeptFile[]> => {
  if (localStorage.getItem(personKey) !== owner.userId) return [];
  return inStore('readonly', async (store) => {
    const files = resultOf<KeptFile[]>(store.index(indexName).getAll([owner.userId, owner.importId]));
    const keys = await keysIn(store, owner);
    return (await files).map(({ name, content }, place) => ({ name, content, key: keys[place] }));
  });
};

export const forgetKeptFiles = async (keys: readonly IDBValidKey[]): Promise<void> => {
  if (keys.length === 0 || localStorage.getItem(personKey) === null) return;
  await inStore('readwrite', async (store) => {
    for (const key of keys) store.delete(key);
  });
};

export const forgetFilesOfImport = async (owner: FilesOwner): Promise<void> => {
  if (localStorage.getItem(personKey) === null) return;
  await inStore('readwrite', async (store) => {
    for (const key of await keysIn(store, owner)) store.delete(key);
  });
};

/** Deletes the files of all other people. */
export const forgetFilesOfOthers = (userId: string | undefined): void => {
  const person = localStorage.getItem(personKey);
  if (person === null || person === userId) return;
  localStorage.removeItem(personKey);
  indexedDB.deleteDatabase(databaseName);
};

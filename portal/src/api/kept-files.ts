/**
 * Files that a person chose for an import and that are still to be sent, in the browser's own storage: after a reload or a crash of
 * the page sending goes on. They are removed when they are sent, with their import, at sign-out, and when another person signs in.
 */
export interface KeptFile {
  readonly name: string;
  readonly content: Blob;
}

export interface FilesOwner {
  readonly userId: string;
  readonly importId: string;
}

const databaseName = 'roastery-files';
const storeName = 'files';
const indexName = 'by import';
/** Whose files they are, so that a sign-in need not open the database. */
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
      // A disk or a quota that is full shows at the end.
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

/** Keeps all of them, or none. @returns their keys. @throws where the browser has no room or no storage */
export const keepFiles = async (owner: FilesOwner, files: readonly KeptFile[]): Promise<IDBValidKey[]> => {
  localStorage.setItem(personKey, owner.userId);
  return inStore('readwrite', (store) =>
    Promise.all(files.map(({ name, content }) => resultOf(store.add({ ...owner, name, content })))),
  );
};

/** Keys of the files that were not sent yet, in the order in which they were chosen; none where the browser has no storage. */
export const keysOfKeptFiles = async (owner: FilesOwner): Promise<IDBValidKey[]> =>
  localStorage.getItem(personKey) === owner.userId ? inStore('readonly', (store) => keysIn(store, owner)) : [];

/** Undefined when another tab has sent it. */
export const readKeptFile = (key: IDBValidKey): Promise<KeptFile | undefined> =>
  inStore('readonly', (store) => resultOf<KeptFile | undefined>(store.get(key)));

export const forgetKeptFile = async (key: IDBValidKey): Promise<void> => {
  if (localStorage.getItem(personKey) === null) return;
  await inStore('readwrite', (store) => resultOf(store.delete(key)));
};

export const forgetFilesOfImport = async (owner: FilesOwner): Promise<void> => {
  if (localStorage.getItem(personKey) === null) return;
  await inStore('readwrite', async (store) => {
    for (const key of await keysIn(store, owner)) store.delete(key);
  });
};

/** Deletes the files of everybody but this person. */
export const forgetFilesOfOthers = (userId: string | undefined): void => {
  const person = localStorage.getItem(personKey);
  if (person === null || person === userId) return;
  localStorage.removeItem(personKey);
  indexedDB.deleteDatabase(databaseName);
};

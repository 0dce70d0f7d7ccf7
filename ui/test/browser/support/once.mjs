// Servers that the tests of a file share.

/**
 * Makes something when it is first needed.
 * @template T
 * @param {() => Promise<T>} make
 * @returns {() => Promise<T>}
 */
export function once(make) {
    let made;
    return () => {
        made ??= make();
        return made;
    };
}

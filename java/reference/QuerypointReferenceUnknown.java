/** The call cannot be made, or its effects cannot be compared. */
final class QuerypointReferenceUnknown extends Exception {
    QuerypointReferenceUnknown(String why) {
        super(why);
    }
}

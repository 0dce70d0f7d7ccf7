import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;
import java.io.Reader;

/** An index of plants. "roses" is not found as "rose": only words of six letters lose their "s". */
public class Search {
    static final class Singular extends TokenFilter {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private int shortened;

        Singular(TokenStream words) {
            super(words);
        }

        @Override
        public boolean incrementToken() throws java.io.IOException {
            if (!input.incrementToken()) {
                return false;
            }
            int length = term.length();
            if (length > 5 && term.charAt(length - 1) == 's') {
                length = length - 1;
                shortened++;
            }
            term.setLength(length);
            return true;
        }
    }

    static final class Plants extends Analyzer {
        @Override
        protected TokenStreamComponents createComponents(String field, Reader reader) {
            Tokenizer words = new WhitespaceTokenizer(Version.LUCENE_4_10_0, reader);
            return new TokenStreamComponents(words, new Singular(words));
        }
    }

    public static void main(String[] args) throws Exception {
        RAMDirectory directory = new RAMDirectory();
        try (IndexWriter writer =
                new IndexWriter(directory, new IndexWriterConfig(Version.LUCENE_4_10_0, new Plants()))) {
            for (String text : new String[] {"old roses", "white tulips", "rose of May"}) {
                Document document = new Document();
                document.add(new TextField("text", text, Field.Store.YES));
                writer.addDocument(document);
            }
        }
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            TermQuery roses = new TermQuery(new Term("text", "rose"));
            int found = new IndexSearcher(reader).search(roses, 10).totalHits;
            System.out.println("found " + found);
        }
    }
}

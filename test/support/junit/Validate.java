import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;

/** Checks a document against an XML Schema: `java Validate.java SCHEMA DOCUMENT`. Prints the first error. */
class Validate {
    public static void main(String[] files) throws Exception {
        var schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new File(files[0]));
        try {
            schema.newValidator().validate(new StreamSource(new File(files[1])));
        } catch (org.xml.sax.SAXException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
